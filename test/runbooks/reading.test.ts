// Reading runbooks: their steps, their results, lists page by page, and their status.
import { fc } from '../support/properties.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runbookStatus, stepStatuses } from '../../src/domain/runbooks/runbook.ts';
import { seed, sha, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook, type SeededRunbook } from './runbook-rows.ts';

let s: TestServer;
let seeded: SeededRepository;
let whole: SeededRunbook;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
  whole = await seedRunbook(s, {
    repositoryId: seeded.repositoryId,
    leaves: [
      ['1.1', 'completed', 1],
      ['1.2', 'completed', 2],
      ['2.1', 'completed', 1],
      ['2.2', 'failed'],
      ['3.1', 'not_started'],
    ],
    more: { description: 'Requested.', labels: ['design'], spent_micros: 120, input_tokens: 9_000_000_000 },
  });
});
afterAll(async () => await s.close());

async function read<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
  const answer = await s.graphql<Data>(query, variables);
  if (answer.errors.length > 0) throw new Error(answer.text);
  return answer.data;
}

describe('a runbook', () => {
  it('is a tree of steps and leaves with their results', async () => {
    const { runbook } = await read<{ runbook: unknown }>(
      `query ($number: Int!) { runbook(number: $number) {
         url title status stepCounts { total notStarted inProgress completed failed queued }
         steps { number title status promptOrdinal leaves { number title status commit { commit message files state branch stepNumber } } }
         commits { commit parent stepNumber branch }
         cost { budgetMicros spentMicros inputTokens outputTokens turns } } }`,
      { number: whole.number },
    );
    const made = (digit: number, number: string, branch: string) => ({
      commit: sha(digit),
      message: `Do ${number}`,
      files: 2,
      state: 'PUSHED',
      branch,
      stepNumber: number,
    });
    const leaf = (number: string, status: string, commit: unknown = null) => ({
      number,
      title: `Leaf ${number}`,
      status,
      commit,
    });
    const step = (number: string, status: string, leaves: readonly unknown[]) => ({
      number,
      title: `Step ${number}`,
      status,
      promptOrdinal: 1,
      leaves,
    });
    expect(runbook).toMatchObject({
      url: `http://localhost:4000/runbooks/${whole.number}`,
      title: 'New colours',
      status: 'FAILED',
      stepCounts: { total: 5, notStarted: 1, inProgress: 0, completed: 3, failed: 1, queued: 0 },
      steps: [
        step('1', 'COMPLETED', [
          leaf('1.1', 'COMPLETED', made(2, '1.1', 'interlock/runbook-1')),
          leaf('1.2', 'COMPLETED', made(3, '1.2', 'interlock/runbook-2')),
        ]),
        step('2', 'FAILED', [leaf('2.1', 'COMPLETED', made(5, '2.1', 'interlock/runbook-1')), leaf('2.2', 'FAILED')]),
        step('3', 'NOT_STARTED', [leaf('3.1', 'NOT_STARTED')]),
      ],
      commits: [
        { commit: sha(2), parent: sha('a'), stepNumber: '1.1' },
        { commit: sha(3), stepNumber: '1.2' },
        { commit: sha(5), stepNumber: '2.1' },
      ],
      cost: { budgetMicros: 5_000_000, spentMicros: 120, inputTokens: 9_000_000_000, outputTokens: 0, turns: 0 },
    });
  });

  it('lists each pull request once, with its state in the queue; other pull requests have no runbook', async () => {
    const { runbook } = await read<{ runbook: { pullRequests: unknown; branches: unknown } }>(
      `query ($number: Int!) { runbook(number: $number) {
         branches { name baseBranch headCommit pullRequest { number } }
         pullRequests { number url state stepNumbers queuedAt pullRequest { number status runbook { number } } } } }`,
      { number: whole.number },
    );
    expect(runbook).toEqual({
      branches: [
        { name: 'interlock/runbook-1', baseBranch: 'main', headCommit: sha(1), pullRequest: { number: 1 } },
        { name: 'interlock/runbook-2', baseBranch: 'main', headCommit: sha(2), pullRequest: { number: 2 } },
      ],
      pullRequests: [
        {
          number: 1,
          url: 'https://code.example/acme/web/pull/1',
          state: 'OPEN',
          stepNumbers: ['1.1', '2.1'],
          queuedAt: null,
          pullRequest: { number: 1, status: 'TAGGED', runbook: { number: whole.number } },
        },
        {
          number: 2,
          url: 'https://code.example/acme/web/pull/2',
          state: 'OPEN',
          stepNumbers: ['1.2'],
          queuedAt: null,
          pullRequest: { number: 2, status: 'TAGGED', runbook: { number: whole.number } },
        },
      ],
    });
    const { repository } = await read<{ repository: unknown }>(
      '{ repository(owner: "acme", name: "shop") { pullRequest(number: 3) { runbook { number } } } }',
    );
    expect(repository).toEqual({ pullRequest: { runbook: null } });
  });

  it('shows its tool calls and its log page by page, of the runbook or of one leaf', async () => {
    const [step] = await s.rows<{ id: string }>(
      "select id from runbook_step where runbook_id = $1 and number = '1.2'",
      [whole.id],
    );
    await s.rows(
      `insert into runbook_tool_call (account_id, runbook_id, step_id, tool, arguments, outcome, answer, started_at, ended_at)
       select $1, $2, case when n > 1 then $3::bigint end, 'read_file', jsonb_build_object('path', n), 'done', 'text ' || n, now(), now()
       from generate_series(1, 3) n`,
      [s.accountId, whole.id, step?.id],
    );
    await s.rows(
      `insert into runbook_log (account_id, runbook_id, step_id, text, at)
       select $1, $2, case when n > 1 then $3::bigint end, 'line ' || n, now() from generate_series(1, 3) n`,
      [s.accountId, whole.id, step?.id],
    );
    interface Page {
      readonly nodes: readonly unknown[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    }
    interface Read {
      readonly toolCalls: Page;
      readonly log: Page;
      readonly steps: readonly { readonly leaves: readonly unknown[] }[];
    }
    const page = async (calls: string | null, log: string | null): Promise<Read> =>
      (
        await read<{ runbook: Read }>(
          `query ($number: Int!, $calls: String, $log: String) { runbook(number: $number) {
             toolCalls(first: 2, after: $calls) { nodes { tool arguments outcome answer stepNumber } pageInfo { hasNextPage endCursor } }
             log(first: 2, after: $log) { nodes { text } pageInfo { hasNextPage endCursor } }
             steps { leaves { number toolCalls { nodes { answer } } log { nodes { text } } } } } }`,
          { number: whole.number, calls, log },
        )
      ).runbook;
    const first = await page(null, null);
    const call = (n: number, stepNumber: string | null) => ({
      tool: 'read_file',
      arguments: { path: n },
      outcome: 'DONE',
      answer: `text ${n}`,
      stepNumber,
    });
    expect(first.toolCalls).toMatchObject({ nodes: [call(1, null), call(2, '1.2')], pageInfo: { hasNextPage: true } });
    expect(first.log.nodes).toEqual([{ text: 'line 1' }, { text: 'line 2' }]);
    expect(first.steps[0]?.leaves).toEqual([
      { number: '1.1', toolCalls: { nodes: [] }, log: { nodes: [] } },
      {
        number: '1.2',
        toolCalls: { nodes: [{ answer: 'text 2' }, { answer: 'text 3' }] },
        log: { nodes: [{ text: 'line 2' }, { text: 'line 3' }] },
      },
    ]);
    const second = await page(first.toolCalls.pageInfo.endCursor, first.log.pageInfo.endCursor);
    expect(second.toolCalls).toMatchObject({ nodes: [call(3, '1.2')], pageInfo: { hasNextPage: false } });
    expect(second.log).toMatchObject({ nodes: [{ text: 'line 3' }], pageInfo: { hasNextPage: false } });
  });

  it('is null for an unknown number, and is found by its id', async () => {
    const { runbook, none } = await read<{ runbook: { id: string }; none: null }>(
      'query ($number: Int!) { runbook(number: $number) { id } none: runbook(number: 0) { id } }',
      { number: whole.number },
    );
    expect(none).toBeNull();
    expect(await read('query ($id: ID!) { node(id: $id) { ... on Runbook { number } } }', { id: runbook.id })).toEqual({
      node: { number: whole.number },
    });
  });
});

describe('the status of a runbook', () => {
  it('follows from the statuses of its leaves, in whatever order they change', async () => {
    const { id, number } = await seedRunbook(s, {
      repositoryId: seeded.repositoryId,
      leaves: [1, 2, 3, 4].map((n) => [`${n}.1`, 'not_started'] as const),
    });
    const leaves = await s.rows<{ id: string }>(
      'select id from runbook_step where runbook_id = $1 and status is not null order by position',
      [id],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...stepStatuses), { minLength: 1, maxLength: leaves.length }),
        async (statuses) => {
          await s.rows(
            `update runbook_step s set status = asked.status from unnest($1::bigint[], $2::text[]) as asked (id, status) where s.id = asked.id`,
            [leaves.slice(0, statuses.length).map((leaf) => leaf.id), statuses],
          );
          const all = await s.rows<{ status: (typeof stepStatuses)[number] }>(
            'select status from runbook_step where runbook_id = $1 and status is not null',
            [id],
          );
          const { runbook } = await read<{ runbook: { status: string; stepCounts: Record<string, number> } }>(
            'query ($number: Int!) { runbook(number: $number) { status stepCounts { total completed failed } } }',
            { number },
          );
          expect(runbook.status.toLowerCase()).toBe(runbookStatus(all.map(({ status }) => status)));
          expect(runbook.stepCounts).toEqual({
            total: all.length,
            completed: all.filter(({ status }) => status === 'completed').length,
            failed: all.filter(({ status }) => status === 'failed').length,
          });
        },
      ),
      { numRuns: 60 },
    );
    await s.rows('delete from runbook_step where runbook_id = $1', [id]);
    expect(await read('query ($number: Int!) { runbook(number: $number) { status } }', { number })).toEqual({
      runbook: { status: 'GENERATING_STEPS' },
    });
  });
});

describe('the list of runbooks of a repository', () => {
  it('has all of them, newest first, page by page, for every filter', async () => {
    const name = 'many';
    const { repositoryId } = await seed(s, { name });
    for (let n = 0; n < 40; n += 1)
      await seedRunbook(s, {
        repositoryId,
        leaves: n % 5 === 0 ? [] : [['1.1', stepStatuses[n % stepStatuses.length] ?? 'failed']],
      });
    const newestFirst = await s.rows<{ number: number; status: string }>(
      'select number, status from runbook where repository_id = $1 order by id desc',
      [repositoryId],
    );
    const walk = async (statuses: readonly string[] | null, first: number): Promise<readonly [number[], number]> => {
      const numbers: number[] = [];
      let after: string | null = null;
      for (;;) {
        const list: { repository: { runbooks: RunbookPage } } = await read<{ repository: { runbooks: RunbookPage } }>(
          `query ($filter: RunbookFilter, $first: Int, $after: String) { repository(owner: "acme", name: "many") {
             runbooks(filter: $filter, first: $first, after: $after) { nodes { number } totalCount pageInfo { hasNextPage endCursor } } } }`,
          { filter: { statuses: statuses?.map((status) => status.toUpperCase()) ?? null }, first, after },
        );
        const { nodes, pageInfo, totalCount } = list.repository.runbooks;
        numbers.push(...nodes.map(({ number }) => number));
        if (!pageInfo.hasNextPage) return [numbers, totalCount];
        after = pageInfo.endCursor;
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.subarray([...new Set(newestFirst.map(({ status }) => status))])),
        fc.integer({ min: 1, max: 50 }),
        async (statuses, first) => {
          const all = newestFirst
            .filter(({ status }) => statuses?.includes(status) ?? true)
            .map(({ number }) => number);
          expect(await walk(statuses, first)).toEqual([all, all.length]);
        },
      ),
      { numRuns: 25 },
    );
  });
});

interface RunbookPage {
  readonly nodes: readonly { readonly number: number }[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

it('the runbook of a pull request or an event is hidden from users who may not read runbooks', async () => {
  await s.rows(
    "insert into event (account_id, repository_id, runbook_id, action, payload, at) values ($1, $2, $3, 'runbook_created', '{}', now())",
    [s.accountId, seeded.repositoryId, whole.id],
  );
  const token = await s.tokenWith(['queue:read']);
  const query =
    '{ repository(owner: "acme", name: "shop") { pullRequest(number: 1) { number runbook { number } } events(first: 1) { nodes { action runbook { number } } } } }';
  await expect
    .poll(async () => (await s.graphql(query)).data)
    .toEqual({
      repository: {
        pullRequest: { number: 1, runbook: { number: whole.number } },
        events: { nodes: [{ action: 'runbook_created', runbook: { number: whole.number } }] },
      },
    });
  const { data, errors } = await s.graphql(query, {}, token);
  expect(data).toEqual({
    repository: {
      pullRequest: { number: 1, runbook: null },
      events: { nodes: [{ action: 'runbook_created', runbook: null }] },
    },
  });
  expect(errors.map(({ message }) => message)).toEqual(
    Array(2).fill('This needs a token with the scope runbook:write.'),
  );
});

it('another account cannot read a runbook by number, id or list', async () => {
  const other = await s.otherAccount();
  const theirs = await seed(s, { token: other.token, accountId: other.accountId });
  const { number } = await seedRunbook(s, { repositoryId: theirs.repositoryId, accountId: other.accountId });
  const node = (await read<{ runbook: { id: string } }>('{ runbook(number: 1) { id } }')).runbook.id;
  const { data } = await s.graphql(
    'query ($number: Int!, $node: ID!) { runbook(number: $number) { number repository { name } } node(id: $node) { id } repository(owner: "acme", name: "shop") { runbooks { nodes { number } totalCount } } }',
    { number, node },
    other.token,
  );
  expect(data).toEqual({
    runbook: { number, repository: { name: 'shop' } },
    node: null,
    repository: { runbooks: { nodes: [{ number }], totalCount: 1 } },
  });
});
