// What the page of a queue reads: the cursor of the log, what each change is about, and the place of batches in the
// line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { appendEvents, type NewEvent } from '../../src/modules/events/index.ts';
import { readPullRequestsAbove } from '../../src/modules/queue/host-sync/queue-assignment.ts';
import { follow } from '../support/follow.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, sha, type SeededRepository } from './seed.ts';

let s: TestServer;
let seeded: SeededRepository;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
});
afterAll(async () => await s.close());

async function write(...events: NewEvent[]): Promise<void> {
  const ctx = systemContext(s.ports, s.accountId);
  await s.ports.db.transaction(s.accountId, async (tx) => await appendEvents(ctx, tx, events));
}

async function cursor(): Promise<string> {
  await expect
    .poll(async () => await s.rows('select 1 from event where position is null'), { interval: 5 })
    .toEqual([]);
  return (await s.graphql<{ cursor: string }>('{ cursor }')).data.cursor;
}

async function idOf(number: number): Promise<string> {
  const [row] = await s.rows<{ id: string }>('select id from pull_request where account_id = $1 and number = $2', [
    s.accountId,
    number,
  ]);
  return row?.id ?? '';
}

async function queueOf<Queue>(selection: string): Promise<Queue> {
  const answer = await s.graphql<{ repository: { queue: Queue } }>(
    `{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { ${selection} } } }`,
  );
  expect(answer.errors).toEqual([]);
  return answer.data.repository.queue;
}

const repository = { owner: 'acme', name: 'shop' };

describe('the cursor', () => {
  it('is that of the newest event, so that a subscription after it gets only later events', async () => {
    const of = { repositoryId: seeded.repositoryId, queueId: seeded.queueId };
    await write({ ...of, action: 'earlier' });
    const after = await cursor();
    await write({ ...of, action: 'later' });
    await using followed = follow<{ action: string }>(
      s,
      'subscription ($after: String) { events(after: $after) { action } }',
      { after },
    );
    expect(await followed.until(1)).toEqual([{ action: 'later' }]);
  });
});

describe('a change of a queue', () => {
  it('names its subject: a pull request with its place, or a batch with its members', async () => {
    const of = { repositoryId: seeded.repositoryId, queueId: seeded.queueId };
    await using followed = follow<unknown>(
      s,
      `subscription ($repository: RepositoryInput!, $after: String) { queueChanged(repository: $repository, baseBranch: "main", after: $after) {
         action pullRequests { number position status } batches { role state } } }`,
      { repository, after: await cursor() },
    );
    await write(
      { ...of, pullRequestId: await idOf(3), action: 'queued' },
      { ...of, pullRequestId: await idOf(4), action: 'blocked' },
      { ...of, batchId: seeded.batchId, action: 'build_started' },
      { ...of, action: 'queue_halted' },
    );
    expect(await followed.until(4)).toEqual([
      { action: 'queued', pullRequests: [{ number: 3, position: 3, status: 'QUEUED' }], batches: [] },
      { action: 'blocked', pullRequests: [{ number: 4, position: null, status: 'BLOCKED' }], batches: [] },
      {
        action: 'build_started',
        pullRequests: [
          { number: 1, position: 1, status: 'TAGGED' },
          { number: 2, position: 2, status: 'TAGGED' },
        ],
        batches: [{ role: 'LINE', state: 'BUILDING' }],
      },
      { action: 'queue_halted', pullRequests: [], batches: [] },
    ]);
  });

  it('of a batch is sent only to subscribers to the batches of that queue', async () => {
    const document = `subscription ($repository: RepositoryInput!, $after: String, $branch: String!) {
      batchChanged(repository: $repository, baseBranch: $branch, after: $after) { action batch { id state } } }`;
    const after = await cursor();
    const of = { repositoryId: seeded.repositoryId, queueId: seeded.queueId };
    await using here = follow<unknown>(s, document, { repository, after, branch: 'main' });
    await using elsewhere = follow<unknown>(s, document, { repository, after, branch: 'release' });
    await write(
      { ...of, action: 'queue_halted' },
      { ...of, batchId: seeded.batchId, action: 'batch_reset' },
      { ...of, batchId: seeded.landedBatchId, action: 'batch_merged' },
    );
    expect(await here.until(2)).toEqual([
      { action: 'batch_reset', batch: { id: encodeNodeId('Batch', seeded.batchId), state: 'BUILDING' } },
      { action: 'batch_merged', batch: { id: encodeNodeId('Batch', seeded.landedBatchId), state: 'LANDED' } },
    ]);
    expect(elsewhere.payloads).toEqual([]);
  });
});

interface BatchRow {
  readonly position: number;
  readonly state: string;
  readonly role: string;
  readonly successProbability: number | null;
  readonly cameFrom: { readonly position: number } | null;
}

describe('a batch', () => {
  beforeAll(async () => {
    // The bisected batch of which the live batch is a part, and an isolated retry of its first pull request.
    for (const [position, state, sideBuild] of [
      [3, 'bisected', null],
      [4, 'failed', 'isolation'],
    ] as const) {
      await s.rows(
        `with made as (
           insert into batch (account_id, queue_id, repository_id, position, side_build, cause, mode, state, parent_commit, base_commit, strategy, batch_commit,
             build_keys_hash, group_message, created_at, ended_at)
           values ($1, $2, $3, $4, $5, 'new', 'parallel', $6, $7, $7, 'squash', 'group', 'x', 'Group', now() - interval '2 hours', now() - interval '1 hour') returning id)
         insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
         select $1, made.id, $8, 0, $9, 'm', 'Ada', 'ada@example.test' from made`,
        [s.accountId, seeded.queueId, seeded.repositoryId, position, sideBuild, state, sha('a'), await idOf(1), sha(1)],
      );
    }
    await s.rows(
      `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy, batch_commit,
         build_keys_hash, group_message, created_at)
       values ($1, $2, $3, 5, 'bisect', 'parallel', 'making', $4, $4, 'squash', 'group', 'x', 'Group', now())`,
      [s.accountId, seeded.queueId, seeded.repositoryId, sha('a')],
    );
    await s.rows(
      `insert into batch_member (account_id, batch_id, pull_request_id, ordinal, pinned_head, message, author_name, author_email)
       select $1, id, $2, 0, $3, 'm', 'Ada', 'ada@example.test' from batch where account_id = $1 and position = 5`,
      [s.accountId, await idOf(1), sha(1)],
    );
  });

  const selection = 'position state role successProbability cameFrom { position }';

  it('has its role, its success probability while it lives, and the batch from which its members came', async () => {
    const { batches } = await queueOf<{ batches: { nodes: BatchRow[] } }>(`batches { nodes { ${selection} } }`);
    const alone = batches.nodes[0]?.successProbability ?? 0;
    expect(alone).toBeGreaterThan(0.5);
    expect(alone).toBeLessThan(1);
    expect(batches.nodes).toEqual([
      { position: 5, state: 'MAKING', role: 'LINE', successProbability: alone, cameFrom: { position: 3 } },
      { position: 4, state: 'FAILED', role: 'ISOLATION', successProbability: null, cameFrom: null },
      { position: 3, state: 'BISECTED', role: 'LINE', successProbability: null, cameFrom: null },
      {
        position: 2,
        state: 'BUILDING',
        role: 'LINE',
        successProbability: expect.closeTo(alone * alone, 9) as number,
        cameFrom: null,
      },
      { position: 1, state: 'LANDED', role: 'LINE', successProbability: null, cameFrom: null },
    ]);
  });

  it('has the product of the success probabilities of its pull requests', async () => {
    const { data } = await s.graphql<{ repository: Record<string, { successProbability: number | null }> }>(
      '{ repository(owner: "acme", name: "shop") { open: pullRequest(number: 1) { successProbability } merged: pullRequest(number: 5) { successProbability } } }',
    );
    const { batches } = await queueOf<{ batches: { nodes: BatchRow[] } }>(
      `batches(first: 1) { nodes { ${selection} } }`,
    );
    expect(data.repository).toEqual({
      open: { successProbability: batches.nodes[0]?.successProbability },
      merged: { successProbability: null },
    });
  });

  it.each([
    ['states: [LANDED, BISECTED]', [3, 1]],
    ['states: [MAKING]', [5]],
    ['states: []', []],
    ['states: [MAKING, BUILDING, FAILED], first: 2', [5, 4]],
    ['live: true', [5, 2]],
    ['live: true, states: [BUILDING, LANDED]', [2]],
  ])('is listed by its state: %s', async (args, positions) => {
    const { batches } = await queueOf<{ batches: { nodes: BatchRow[] } }>(`batches(${args}) { nodes { position } }`);
    expect(batches.nodes.map(({ position }) => position)).toEqual(positions);
  });
});

describe('the line', () => {
  interface Page {
    readonly nodes: readonly {
      readonly position: number;
      readonly pullRequest: { readonly number: number; readonly explain: { readonly sentence: string } };
      readonly explain: { readonly sentence: string };
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly totalCount: number;
  }
  const page = async (args: string): Promise<Page> =>
    (
      await queueOf<{ line: Page }>(
        `line(${args}) { nodes { position pullRequest { number explain { sentence } } explain { sentence } } pageInfo { hasNextPage endCursor } totalCount }`,
      )
    ).line;

  it('is read in pages, in queue order, and each entry has the same explanation as its pull request', async () => {
    const first = await page('first: 2');
    expect(first.nodes.map(({ position, pullRequest }) => [position, pullRequest.number])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect([first.totalCount, first.pageInfo.hasNextPage]).toEqual([3, true]);
    for (const { explain, pullRequest } of first.nodes) expect(explain).toEqual(pullRequest.explain);
    const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
    expect(second.nodes.map(({ position, pullRequest }) => [position, pullRequest.number])).toEqual([[3, 3]]);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  it('starts with the pull requests that skip the line', async () => {
    await s.rows('update pull_request set skip_line = true where account_id = $1 and number = 3', [s.accountId]);
    const { nodes, pageInfo } = await page('first: 1');
    expect(nodes.map(({ position, pullRequest }) => [position, pullRequest.number])).toEqual([[1, 3]]);
    const rest = await page(`after: "${pageInfo.endCursor}"`);
    expect(rest.nodes.map(({ position, pullRequest }) => [position, pullRequest.number])).toEqual([
      [2, 1],
      [3, 2],
    ]);
    await s.rows('update pull_request set skip_line = false where account_id = $1 and number = 3', [s.accountId]);
  });

  it('can be read from any place, with the same reasons as whole explanations', async () => {
    const reason = 'kind who sentence';
    const { line } = await queueOf<{
      line: { nodes: { position: number; explain: object; pullRequest: { number: number; explain: object } }[] };
    }>(
      `line(first: 2, from: 2) { nodes { position explain { ${reason} } pullRequest { number explain { ${reason} conditions { kind } } } } }`,
    );
    expect(line.nodes.map(({ position, pullRequest }) => [position, pullRequest.number])).toEqual([
      [2, 2],
      [3, 3],
    ]);
    for (const { explain, pullRequest } of line.nodes) expect(pullRequest.explain).toMatchObject(explain);
    expect((await page('from: 4')).nodes).toEqual([]);
  });

  it('has no place before the first', async () => {
    const { errors } = await s.graphql(
      '{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { line(from: 0) { totalCount } } } }',
    );
    expect(errors).toMatchObject([{ message: 'from must be 1 or more', extensions: { code: 'BAD_INPUT' } }]);
  });

  it('refuses a cursor of another connection', async () => {
    const { errors } = await s.graphql(
      '{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { line(after: "WyJ4IiwieSJd") { totalCount } } } }',
    );
    expect(errors).toMatchObject([
      { message: 'after must be a cursor of this connection', extensions: { code: 'BAD_INPUT' } },
    ]);
  });
});

describe('a queue as of an instant', () => {
  const asOf = async (at: string) =>
    await s.graphql<{ repository: { queue: { asOf: string | null } | null } | null }>(
      `{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main", asOf: "${at}") { asOf } } }`,
    );

  it('is null before the queue existed', async () => {
    expect((await asOf('2020-01-01T00:00:00Z')).data.repository).toEqual({ queue: null });
  });

  it('is refused for the future', async () => {
    expect((await asOf('2999-01-01T00:00:00Z')).errors).toMatchObject([
      { message: 'asOf must not be in the future.', extensions: { code: 'BAD_INPUT', field: 'asOf' } },
    ]);
  });

  it.each([
    ['from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z"', 'to must be later than from.'],
    ['from: "2026-01-01T00:00:00Z", to: "2026-03-02T00:00:00Z"', 'from and to must be at most 31 days apart.'],
    ['from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", points: 501', 'points must be between 1 and 500.'],
  ])('has no history for %s', async (span, message) => {
    const { errors } = await s.graphql(
      `{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { depthHistory(${span}) { queued } } } }`,
    );
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_INPUT' } }]);
  });
});

it('a pull request names the pull requests below and above it in its stack', async () => {
  await s.rows('update pull_request set below_id = $1 where id = $2', [await idOf(1), await idOf(3)]);
  const stack = 'below { number } above { number }';
  // The reconciler of the same process has read what is based on a branch.
  const lower = { repositoryId: seeded.repositoryId, headBranch: 'none', headFork: null };
  expect(await readPullRequestsAbove(systemContext(s.ports, s.accountId), lower)).toEqual([]);
  const { data } = await s.graphql<{ repository: object }>(
    `{ repository(owner: "acme", name: "shop") { lower: pullRequest(number: 1) { ${stack} } upper: pullRequest(number: 3) { ${stack} } } }`,
  );
  expect(data.repository).toEqual({
    lower: { below: null, above: [{ number: 3 }] },
    upper: { below: { number: 1 }, above: [] },
  });
});
