// Creating runbooks, and continuing them with follow-ups.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf, type AddedUser } from '../accounts/account.ts';
import { makeRepository, pushBranches } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook } from './runbook-rows.ts';

let s: TestServer;
let repositoryId: string;
let ada: AddedUser;
beforeAll(async () => {
  s = await startServer();
  await makeRepository(s, { owner: 'acme', name: 'web' });
  await pushBranches(s, { owner: 'acme', name: 'web' }, ['topic']);
  ada = await accountOf(s).add('ada', { scopes: ['runbook:write', 'config:read'] });
  const [row] = await s.rows<{ id: string }>('select id::text from repository');
  repositoryId = row?.id ?? '';
});
afterAll(async () => await s.close());

const repository = { owner: 'acme', name: 'web' };
const selection =
  'number title status agent authorEmail authorHandle createdBy draft prMode targetBranch description labels queueWhenGreen workflowFiles cost { budgetMicros spentMicros turns } stepCounts { total } prompts { ordinal text author plannedAt } steps { number } repository { name }';

interface Asked {
  readonly number: number;
  readonly labels: readonly string[];
  readonly [field: string]: unknown;
}

async function create(input: Readonly<Record<string, unknown>>, token?: string): Promise<Asked> {
  const answer = await s.graphql<{ createRunbook: { runbook: Asked } }>(
    `mutation ($input: CreateRunbookInput!) { createRunbook(input: $input) { runbook { ${selection} } } }`,
    { input: { repository, prompt: 'Fix the typo', ...input } },
    token,
  );
  if (answer.errors.length > 0) throw new Error(answer.errors.map(({ message }) => message).join());
  return answer.data.createRunbook.runbook;
}

async function goOn(input: Readonly<Record<string, unknown>>, token?: string): Promise<Asked> {
  const answer = await s.graphql<{ continueRunbook: { runbook: Asked } }>(
    `mutation ($input: ContinueRunbookInput!) { continueRunbook(input: $input) { runbook { ${selection} } } }`,
    { input: { prompt: 'And the other one', ...input } },
    token,
  );
  if (answer.errors.length > 0) throw new Error(answer.errors.map(({ message }) => message).join());
  return answer.data.continueRunbook.runbook;
}

const actionsOf = async (number: number): Promise<string[]> =>
  (
    await s.rows<{ action: string }>(
      'select e.action from event e join runbook r on r.id = e.runbook_id where r.number = $1 order by e.id',
      [number],
    )
  ).map(({ action }) => action);

describe('a runbook', () => {
  it('has the default settings for everything that the request leaves out', async () => {
    const runbook = await create({ prompt: '1. Fix the typo\n2. Ship it' });
    expect(runbook).toEqual({
      number: expect.any(Number),
      title: 'Fix the typo',
      status: 'GENERATING_STEPS',
      agent: 'SCRIPT',
      authorEmail: 'service@acme.test',
      authorHandle: null,
      createdBy: 'service@acme.test',
      draft: false,
      prMode: 'SINGLE_PR',
      targetBranch: 'main',
      description: null,
      labels: [],
      queueWhenGreen: false,
      workflowFiles: false,
      cost: { budgetMicros: 5_000_000, spentMicros: 0, turns: 0 },
      stepCounts: { total: 0 },
      prompts: [{ ordinal: 1, text: '1. Fix the typo\n2. Ship it', author: 'service@acme.test', plannedAt: null }],
      steps: [],
      repository: { name: 'web' },
    });
    expect(await actionsOf(runbook.number)).toEqual(['runbook_created']);
  });

  it('belongs to the user of the token, or to the person that the request names', async () => {
    expect(await create({}, ada.token)).toMatchObject({ authorEmail: ada.email, authorHandle: 'ada' });
    expect(await create({ authorEmail: ` ${ada.email.toUpperCase()} ` })).toMatchObject({
      authorEmail: ada.email,
      authorHandle: 'ada',
      createdBy: 'service@acme.test',
    });
    const gone = await accountOf(s).add('gone');
    await accountOf(s).remove(gone.id);
    await expect(create({ authorEmail: gone.email })).rejects.toThrow('author_email must be');
  });

  it('has the next number of its account, without a gap after refused requests, also if many are created at the same time', async () => {
    const first = await create({});
    const refused = await Promise.allSettled([create({ targetBranch: 'nowhere' }), create({ prompt: '' })]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const many = await Promise.all(Array.from({ length: 8 }, async () => await create({})));
    expect(many.map(({ number }) => number).sort((a, b) => a - b)).toEqual(many.map((_, at) => first.number + 1 + at));
    const other = await s.otherAccount();
    const at = { url: s.url, token: other.token };
    await makeRepository(at, { owner: 'acme', name: 'web' });
    await pushBranches(at, { owner: 'acme', name: 'web' }, []);
    expect((await create({}, other.token)).number).toBe(1);
  });

  it('has the defaults of its repository, if they are set', async () => {
    const { errors } = await s.graphql(
      'mutation ($input: UpdateRunbookDefaultsInput!) { updateRunbookDefaults(input: $input) { repository { name } } }',
      {
        input: {
          repository,
          draft: true,
          prMode: 'STACKED_PR',
          targetBranch: 'release',
          queueWhenGreen: true,
          budgetMicros: 100,
          workflowFiles: true,
        },
      },
    );
    expect(errors).toEqual([]);
    expect(await create({})).toMatchObject({
      draft: true,
      prMode: 'STACKED_PR',
      targetBranch: 'release',
      queueWhenGreen: true,
      cost: { budgetMicros: 100 },
      workflowFiles: true,
    });
    expect(
      await create({
        draft: false,
        prMode: 'MANUAL',
        targetBranch: 'main',
        queueWhenGreen: false,
        budgetMicros: 99,
      }),
    ).toMatchObject({
      draft: false,
      prMode: 'MANUAL',
      targetBranch: 'main',
      queueWhenGreen: false,
      cost: { budgetMicros: 99 },
    });
    await expect(create({ budgetMicros: 101 })).rejects.toThrow('budgetMicros must be a whole number from 0 to 100');
  });

  it.each(['nowhere', 'a b', '../main', 'main^{commit}', '-x', ''])(
    'is not created for the target branch %j, which does not exist',
    async (targetBranch) => {
      await expect(create({ targetBranch })).rejects.toThrow('target_branch must be a branch of acme/web');
    },
  );

  it('is not created or continued in an inactive repository', async () => {
    await s.rows('update repository set active = false where id = $1', [repositoryId]);
    try {
      await expect(create({})).rejects.toThrow('The repository acme/web is inactive');
      await expect(goOn({ number: 1 })).rejects.toThrow('The repository acme/web is inactive');
    } finally {
      await s.rows('update repository set active = true where id = $1', [repositoryId]);
    }
  });

  it('is created once if a request is repeated with the same idempotency key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { repository: { org: 'acme', name: 'web' }, prompt: 'Fix the typo' };
    const post = async () => await s.rest('POST', '/api/v1/runbook', { body, headers });
    const [first, again] = [await post(), await post()];
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 202, 'true']);
    expect(await again.json()).toEqual(await first.json());
  });
});

describe('labels that queue a pull request or skip the line', () => {
  it('need the rights of the user who sets them, not those of the named author', async () => {
    const scopes = ['runbook:write', 'queue:write'] as const;
    const [boss, bob] = [
      await accountOf(s).add('boss', { role: 'admin', scopes }),
      await accountOf(s).add('bob', { scopes }),
    ];
    const configured = await s.rest('POST', '/api/v1/config?org=acme&repo=web', {
      body: 'merge_rules: {labels: {trigger: mergequeue, skip_line: urgent}}',
    });
    expect(configured.status).toBe(200);
    const asked = { authorEmail: boss.email };
    await expect(create({ ...asked, labels: ['MergeQueue'] }, ada.token)).rejects.toThrow('the scope queue:write');
    await expect(create({ ...asked, labels: ['urgent'] }, bob.token)).rejects.toThrow(
      'The label urgent skips the line, which you are not authorized to do in this repository',
    );
    const { number } = await create({ ...asked, labels: ['mergequeue', 'docs'] }, bob.token);
    await expect(goOn({ number, labels: ['mergequeue'] }, ada.token)).rejects.toThrow('the scope queue:write');
    await expect(goOn({ number, labels: ['urgent'] }, bob.token)).rejects.toThrow('The label urgent skips the line');
    await expect(goOn({ number }, ada.token)).rejects.toThrow('the scope queue:write');
    expect(await goOn({ number, labels: ['urgent'] }, boss.token)).toMatchObject({
      labels: ['mergequeue', 'docs', 'urgent'],
    });
    await expect(goOn({ number }, bob.token)).rejects.toThrow('The label urgent skips the line');
  });
});

describe('a runbook whose pull requests are queued', () => {
  it('is created and continued only by users who may queue, also if the queueing is the default of the repository', async () => {
    const { token: carlToken } = await accountOf(s).add('carl', { scopes: ['runbook:write', 'queue:write'] });
    const byDefault = async (queueWhenGreen: boolean): Promise<void> =>
      await accountOf(s).run(
        'updateRunbookDefaults',
        { repository, queueWhenGreen, targetBranch: 'main', budgetMicros: 100 },
        'repository { name }',
      );
    await byDefault(true);
    try {
      await expect(create({}, ada.token)).rejects.toThrow('the scope queue:write');
      await expect(create({ queueWhenGreen: true }, ada.token)).rejects.toThrow('the scope queue:write');
      const { number } = await create({ queueWhenGreen: false }, ada.token);
      expect(await goOn({ number }, ada.token)).toMatchObject({ queueWhenGreen: false });
      const queued = await create({}, carlToken);
      expect(queued).toMatchObject({ queueWhenGreen: true });
      await expect(goOn({ number: queued.number }, ada.token)).rejects.toThrow('the scope queue:write');
      expect(await goOn({ number: queued.number }, carlToken)).toMatchObject({ number: queued.number });
    } finally {
      await byDefault(false);
    }
  });
});

describe('a follow-up', () => {
  it('is appended to the prompts; its labels are added, and its description replaces the one before', async () => {
    const { number } = await create({ labels: ['b', 'a'], description: 'Before' });
    expect(await goOn({ number })).toMatchObject({ labels: ['b', 'a'], description: 'Before' });
    expect(await goOn({ number, labels: ['c', 'a'], description: 'After' }, ada.token)).toMatchObject({
      labels: ['b', 'a', 'c'],
      description: 'After',
      prompts: [
        { ordinal: 1, author: 'service@acme.test' },
        { ordinal: 2, author: 'service@acme.test' },
        { ordinal: 3, author: ada.email, text: 'And the other one', plannedAt: null },
      ],
    });
    expect(await goOn({ number, description: '  ' })).toMatchObject({ description: null });
    expect(await actionsOf(number)).toEqual(['runbook_created', ...Array(3).fill('runbook_prompted')]);
  });

  it('has the next ordinal, also if many are sent at the same time', async () => {
    const { number } = await create({});
    await Promise.all(Array.from({ length: 5 }, async (_, at) => await goOn({ number, prompt: `Then ${at}` })));
    const { prompts } = await goOn({ number });
    expect((prompts as { ordinal: number }[]).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('continues a canceled or failed runbook, and fails the leaves that it leaves out', async () => {
    const { number } = await seedRunbook(s, {
      repositoryId,
      leaves: [
        ['1.1', 'completed'],
        ['1.2', 'failed'],
        ['2.1', 'not_started'],
      ],
      more: { cancel_requested_at: '2026-01-02T03:04:05Z' },
    });
    await goOn({ number });
    const { data } = await s.graphql<{ runbook: unknown }>(
      'query ($number: Int!) { runbook(number: $number) { status cancelRequestedAt steps { number leaves { number status error } } } }',
      { number },
    );
    expect(data.runbook).toEqual({
      status: 'FAILED',
      cancelRequestedAt: null,
      steps: [
        {
          number: '1',
          leaves: [
            { number: '1.1', status: 'COMPLETED', error: null },
            { number: '1.2', status: 'FAILED', error: null },
          ],
        },
        {
          number: '2',
          leaves: [{ number: '2.1', status: 'FAILED', error: expect.stringMatching(/^Left out: 1\.2 had failed/) }],
        },
      ],
    });
  });

  it('can be at most the hundredth prompt', async () => {
    const { number, id } = await seedRunbook(s, { repositoryId });
    await s.rows(
      `insert into runbook_prompt (account_id, runbook_id, ordinal, text, author, created_at)
       select $1, $2, n, 'More', 'ada@acme.test', now() from generate_series(2, 99) n`,
      [s.accountId, id],
    );
    await goOn({ number });
    await expect(goOn({ number })).rejects.toThrow(`Runbook ${number} already has 100 prompts: create another runbook`);
  });

  it('is refused if the budget is spent; a retry with a higher budget is accepted', async () => {
    const { number } = await seedRunbook(s, {
      repositoryId,
      leaves: [['1.1', 'failed']],
      more: { agent: 'model', budget_micros: 50, spent_micros: 50 },
    });
    await expect(goOn({ number })).rejects.toThrow(`The budget of runbook ${number} is spent`);
    const retry = async (budgetMicros: number | null) =>
      await s.graphql(
        'mutation ($input: RetryRunbookInput!) { retryRunbook(input: $input) { runbook { status cost { budgetMicros } } } }',
        { input: { number, budgetMicros } },
      );
    expect((await retry(null)).errors).toMatchObject([{ extensions: { code: 'RUNBOOK_BUDGET_SPENT' } }]);
    expect((await retry(101)).errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
    expect((await retry(60)).data).toEqual({
      retryRunbook: { runbook: { status: 'PARTIALLY_COMPLETED', cost: { budgetMicros: 60 } } },
    });
    await goOn({ number });
  });
});
