// Canceling, retrying and publishing runbooks, their defaults, and the events of each request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf, type AddedUser } from '../accounts/account.ts';
import { seed, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook, type RunbookSeed } from './runbook-rows.ts';

let s: TestServer;
let seeded: SeededRepository;
let ada: AddedUser;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
  ada = await accountOf(s).add('ada', { role: 'maintainer', scopes: ['runbook:write', 'config:write'] });
});
afterAll(async () => await s.close());

const made = async (given: Omit<RunbookSeed, 'repositoryId'>): Promise<number> =>
  (await seedRunbook(s, { repositoryId: seeded.repositoryId, ...given })).number;

const shown =
  'status cancelRequestedAt publishRequestedAt prompts { plannedAt } steps { leaves { number status error } }';

interface Shown {
  readonly status: string;
  readonly cancelRequestedAt: string | null;
  readonly publishRequestedAt: string | null;
  readonly prompts: readonly { readonly plannedAt: string | null }[];
  readonly steps: readonly { readonly leaves: readonly Record<'number' | 'status' | 'error', string | null>[] }[];
}

async function ask(
  mutation: string,
  input: Readonly<Record<string, unknown>>,
  more = '',
  person: AddedUser = ada,
): Promise<{ readonly runbook: Shown; readonly impact?: unknown }> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const answer = await s.graphql<Record<string, { runbook: Shown }>>(
    `mutation ($input: ${type}!) { ${mutation}(input: $input) { runbook { ${shown} } ${more} } }`,
    { input },
    person.token,
  );
  if (answer.errors.length > 0)
    throw new Error(answer.errors.map(({ message, extensions }) => `${extensions.code} ${message}`).join());
  return answer.data[mutation] as { runbook: Shown };
}

const impact = 'impact { sentence running waiting prompts unqueued }';
const leavesOf = ({ steps }: Shown): string[] =>
  steps
    .flatMap(({ leaves }) => leaves)
    .map(({ number, status, error }) => [number, status, error].filter(Boolean).join(' '));

describe('a cancel', () => {
  it('with `preview` lists what it would stop, and stops nothing', async () => {
    const number = await made({
      leaves: [
        ['1.1', 'completed'],
        ['1.2', 'in_progress'],
        ['2.1', 'not_started'],
        ['2.2', 'not_started'],
      ],
    });
    const { runbook, impact: foreseen } = await ask('cancelRunbook', { number, preview: true }, impact);
    expect(foreseen).toEqual({
      sentence:
        'Stops 1.2, which is being worked on. 2.1 and 2.2 will not be started. The commits and pull requests of the runbook stay.',
      running: '1.2',
      waiting: ['2.1', '2.2'],
      prompts: [],
      unqueued: [],
    });
    expect(runbook).toMatchObject({ status: 'IN_PROGRESS', cancelRequestedAt: null });
    expect(await s.rows('select 1 from event where action like $1', ['runbook_%'])).toEqual([]);
  });

  it('fails every leaf that is not completed, names who canceled, and is recorded once', async () => {
    const number = await made({
      leaves: [
        ['1.1', 'completed'],
        ['1.2', 'in_progress'],
        ['2.1', 'not_started'],
      ],
    });
    const { runbook, impact: foreseen } = await ask('cancelRunbook', { number }, impact);
    expect(foreseen).toBeNull();
    expect(runbook).toMatchObject({ status: 'FAILED', cancelRequestedAt: expect.any(String) });
    expect(leavesOf(runbook)).toEqual([
      '1.1 COMPLETED',
      '1.2 FAILED Canceled by ada@acme.test.',
      '2.1 FAILED Canceled by ada@acme.test.',
    ]);
    expect((await ask('cancelRunbook', { number })).runbook).toEqual(runbook);
    expect(
      await s.rows("select action, actor, entity, target from user_action where action = 'runbook_canceled'"),
    ).toEqual([{ action: 'runbook_canceled', actor: 'ada@acme.test', entity: 'runbook', target: String(number) }]);
  });

  it('of a runbook without a plan adds a failed leaf with the reason', async () => {
    const number = await made({});
    expect((await ask('cancelRunbook', { number, preview: true }, impact)).impact).toMatchObject({ prompts: [1] });
    const { runbook } = await ask('cancelRunbook', { number });
    expect(leavesOf(runbook)).toEqual(['1.1 FAILED Canceled by ada@acme.test.']);
    expect(runbook.prompts).toEqual([{ plannedAt: expect.any(String) }]);
  });

  it('of a runbook that has ended is refused, unless a pull request still waits to be queued', async () => {
    const leaves = [['1.1', 'completed', 31]] as const;
    await expect(ask('cancelRunbook', { number: await made({ leaves }) })).rejects.toThrow(
      /CONFLICT Runbook \d+ has already ended: there is nothing to stop/,
    );
    const number = await made({ leaves: [['1.1', 'completed', 32]], more: { queue_when_green: true } });
    expect((await ask('cancelRunbook', { number, preview: true }, impact)).impact).toMatchObject({
      sentence: 'Does not queue #32. The commits and pull requests of the runbook stay.',
      unqueued: [32],
    });
    await ask('cancelRunbook', { number });
  });
});

describe('a retry', () => {
  it('queues the first failed leaf, and resets the failed leaves after it to not started', async () => {
    const number = await made({
      leaves: [
        ['1.1', 'completed'],
        ['1.2', 'failed'],
        ['2.1', 'failed'],
      ],
      more: { cancel_requested_at: '2026-01-02T03:04:05Z' },
    });
    const { runbook } = await ask('retryRunbook', { number });
    expect(leavesOf(runbook)).toEqual(['1.1 COMPLETED', '1.2 QUEUED', '2.1 NOT_STARTED']);
    expect(runbook.cancelRequestedAt).toBeNull();
  });

  it('with `preview` says which leaves and prompts it would try again, and changes nothing', async () => {
    const number = await made({
      leaves: [
        ['1.1', 'completed'],
        ['1.2', 'failed'],
        ['2.1', 'failed'],
      ],
    });
    const asked = 'impact { sentence retries plans }';
    const { runbook, impact: foreseen } = await ask('retryRunbook', { number, preview: true }, asked);
    expect(foreseen).toEqual({ sentence: 'Tries 1.2 and 2.1 again.', retries: ['1.2', '2.1'], plans: [] });
    expect(leavesOf(runbook)).toEqual(['1.1 COMPLETED', '1.2 FAILED', '2.1 FAILED']);
    expect((await ask('retryRunbook', { number }, asked)).impact).toBeNull();
    const planless = await made({});
    await ask('cancelRunbook', { number: planless });
    expect((await ask('retryRunbook', { number: planless, preview: true }, asked)).impact).toMatchObject({
      sentence: 'Plans prompt 1 again.',
      plans: [1],
    });
  });

  it('does not plan a failed prompt again if a later leaf can be retried', async () => {
    const number = await made({});
    await ask('cancelRunbook', { number });
    await s.rows(
      `insert into runbook_step (account_id, runbook_id, parent_id, prompt_ordinal, number, position, title, status)
       select account_id, runbook_id, parent_id, 1, '1.2', position + 1, 'Planned later', 'failed'
       from runbook_step where status is not null and runbook_id = (select id from runbook where number = $1)`,
      [number],
    );
    const { runbook } = await ask('retryRunbook', { number });
    expect(leavesOf(runbook)).toEqual(['1.1 FAILED Canceled by ada@acme.test.', '1.2 QUEUED']);
  });

  it('of a runbook without a failed leaf is refused', async () => {
    const number = await made({ leaves: [['1.1', 'completed']] });
    await expect(ask('retryRunbook', { number })).rejects.toThrow('CONFLICT No step of the runbook has failed');
  });
});

describe('a retry of a canceled runbook without a failed leaf', () => {
  const canceled = async (pullRequest: number): Promise<number> => {
    const number = await made({ leaves: [['1.1', 'completed', pullRequest]], more: { queue_when_green: true } });
    await ask('cancelRunbook', { number });
    return number;
  };

  it('queues the pull requests that the cancellation left out', async () => {
    const person = await accountOf(s).add('bea', { role: 'maintainer', scopes: ['runbook:write', 'queue:write'] });
    const number = await canceled(41);
    const { impact: foreseen } = await ask(
      'retryRunbook',
      { number, preview: true },
      'impact { sentence retries plans }',
      person,
    );
    expect(foreseen).toEqual({ sentence: 'Queues #41 when it is green.', retries: [], plans: [] });
    const { runbook } = await ask('retryRunbook', { number }, '', person);
    expect(runbook).toMatchObject({ status: 'COMPLETED', cancelRequestedAt: null });
    await expect(ask('retryRunbook', { number }, '', person)).rejects.toThrow(
      'CONFLICT No step of the runbook has failed',
    );
  });

  it('is refused for a token that may not queue', async () => {
    const number = await canceled(42);
    await expect(ask('retryRunbook', { number })).rejects.toThrow(
      'FORBIDDEN This needs a token with the scope queue:write.',
    );
    const [row] = await s.rows('select 1 from runbook where number = $1 and cancel_requested_at is not null', [number]);
    expect(row).toBeDefined();
  });
});

describe('publishing', () => {
  it('is recorded once, and is refused for a runbook that is not in manual mode', async () => {
    const number = await made({ leaves: [['1.1', 'completed']], more: { pr_mode: 'manual' } });
    const { runbook } = await ask('publishRunbook', { number });
    expect(runbook.publishRequestedAt).toEqual(expect.any(String));
    expect((await ask('publishRunbook', { number })).runbook).toEqual(runbook);
    expect(await s.rows("select 1 as one from event where action = 'runbook_publish_requested'")).toEqual([{ one: 1 }]);
    const single = await made({});
    await expect(ask('publishRunbook', { number: single })).rejects.toThrow('only for the mode manual');
  });
});

describe('the runbook defaults of a repository', () => {
  const update = async (input: Readonly<Record<string, unknown>>, token = ada.token) =>
    await s.graphql<{ updateRunbookDefaults: { runbookDefaults: Record<string, unknown> } }>(
      'mutation ($input: UpdateRunbookDefaultsInput!) { updateRunbookDefaults(input: $input) { runbookDefaults { draft prMode targetBranch queueWhenGreen budgetMicros workflowFiles } repository { name } } }',
      { input: { repository: { owner: seeded.owner, name: seeded.name }, ...input } },
      token,
    );

  it('are the general defaults until they are changed one by one, and each change is recorded once', async () => {
    const { data } = await update({});
    expect(data.updateRunbookDefaults.runbookDefaults).toEqual({
      draft: false,
      prMode: 'SINGLE_PR',
      targetBranch: null,
      queueWhenGreen: false,
      budgetMicros: 5_000_000,
      workflowFiles: false,
    });
    await update({ prMode: 'MANUAL', budgetMicros: 7 });
    await update({ prMode: 'MANUAL' });
    expect((await update({ draft: true })).data.updateRunbookDefaults.runbookDefaults).toMatchObject({
      draft: true,
      prMode: 'MANUAL',
      budgetMicros: 7,
    });
    expect(await s.rows("select target from user_action where action = 'runbook_defaults_changed'")).toEqual([
      { target: 'acme/shop' },
      { target: 'acme/shop' },
    ]);
  });

  it.each([
    [{ targetBranch: 'nowhere' }, 'target_branch must be a branch'],
    [{ budgetMicros: 1_000_000_001 }, 'budgetMicros must be a whole number'],
    [{ budgetMicros: -1 }, 'budgetMicros must be a whole number'],
  ])('cannot be changed to %j', async (change, message) => {
    expect((await update(change)).errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'BAD_INPUT' } },
    ]);
  });
});
