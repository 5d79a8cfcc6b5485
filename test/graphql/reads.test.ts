import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, sha, type SeededRepository } from './seed.ts';

let s: TestServer;
let seeded: SeededRepository;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
});
afterAll(async () => await s.close());

const inShop = async <Data>(selection: string, variables = {}): Promise<Data> => {
  const answer = await s.graphql<{ repository: Data }>(
    `{ repository(owner: "acme", name: "shop") { ${selection} } }`,
    variables,
  );
  expect(answer.errors).toEqual([]);
  return answer.data.repository;
};

describe('pull requests', () => {
  it('are found by number and by head branch', async () => {
    const found = await inShop<Record<string, unknown>>(`
      byNumber: pullRequest(number: 1) { number status queued position queuedAt mergedAt createdAt headCommitSha repository { owner name } }
      byBranch: pullRequest(headBranch: "topic-5") { number status mergeCommit commit mergedByQueue mergedAt position }
      none: pullRequest(number: 99) { number }`);
    expect(found).toEqual({
      byNumber: {
        number: 1,
        status: 'TAGGED',
        queued: true,
        position: 1,
        queuedAt: '2026-01-02T03:04:05.000Z',
        mergedAt: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        headCommitSha: sha(1),
        repository: { owner: 'acme', name: 'shop' },
      },
      byBranch: {
        number: 5,
        status: 'MERGED',
        mergeCommit: sha('b'),
        commit: sha('c'),
        mergedByQueue: true,
        mergedAt: '2026-01-03T00:00:00.000Z',
        position: null,
      },
      none: null,
    });
  });

  it('name the affected targets, as many as requested', async () => {
    await s.rows("update pull_request set affected_targets = '{b,a,c}' where number = 1");
    await s.rows("update pull_request set affected_targets = '{}' where number = 2");
    const read = async () =>
      await inShop(
        'one: pullRequest(number: 1) { affectedTargets(first: 2) { count names } } two: pullRequest(number: 2) { affectedTargets { count names } } four: pullRequest(number: 4) { affectedTargets { count } }',
      );
    expect(await read()).toEqual({
      one: { affectedTargets: { count: 3, names: ['b', 'a'] } },
      two: { affectedTargets: { count: 0, names: [] } },
      four: { affectedTargets: null },
    });
    const tooMany = await s.graphql(
      '{ repository(owner: "acme", name: "shop") { pullRequest(number: 1) { affectedTargets(first: 1001) { count } } } }',
    );
    expect(tooMany.errors).toMatchObject([{ message: 'first must be between 0 and 1000' }]);
  });

  it('have queuedAt only while they are queued, tagged, merged or blocked', async () => {
    const { open, blocked } = await inShop<Record<string, { queuedAt: string | null }>>(
      'open: pullRequest(number: 6) { queuedAt } blocked: pullRequest(number: 4) { queuedAt }',
    );
    expect([open?.queuedAt, blocked?.queuedAt]).toEqual([null, '2026-01-02T03:04:05.000Z']);
  });

  it('are listed in queue order, with skip line first', async () => {
    await s.rows('update pull_request set skip_line = true where number = 3');
    try {
      const { queuedPullRequests } = await inShop<{ queuedPullRequests: { number: number; position: number }[] }>(
        'queuedPullRequests { number position }',
      );
      expect(queuedPullRequests).toEqual([
        { number: 3, position: 1 },
        { number: 1, position: 2 },
        { number: 2, position: 3 },
      ]);
    } finally {
      await s.rows('update pull_request set skip_line = false where number = 3');
    }
  });

  it('have their newest bot pull request, checks and batches', async () => {
    const { pullRequest } = await inShop<{ pullRequest: Record<string, unknown> }>(`pullRequest(number: 1) {
      latestBotPullRequest { number githubUrl targetBranch headCommitSha headBranchOid codemixPreBatchSha pullRequests { number } batch { position } }
      checks { name attempt conclusion url } batches { nodes { state position } } }`);
    expect(pullRequest).toEqual({
      latestBotPullRequest: {
        number: 7,
        githubUrl: 'https://example.test/pull/7',
        targetBranch: 'main',
        headCommitSha: sha('e'),
        headBranchOid: sha('e'),
        codemixPreBatchSha: sha('a'),
        pullRequests: [{ number: 1 }, { number: 2 }],
        batch: { position: 2 },
      },
      checks: [{ name: 'test', attempt: 1, conclusion: 'SUCCESS', url: 'https://example.test/log' }],
      batches: { nodes: [{ state: 'BUILDING', position: 2 }] },
    });
  });

  it('explain why they are not merged', async () => {
    const found = await inShop<Record<string, { explain: unknown }>>(`
      building: pullRequest(number: 1) { explain { kind who sentence } } waiting: pullRequest(number: 3) { explain { kind who sentence } }
      blocked: pullRequest(number: 4) { explain { kind who sentence } } merged: pullRequest(number: 5) { explain { kind who sentence } }`);
    expect(found).toEqual({
      building: { explain: { kind: 'BUILDING', who: 'CI', sentence: 'Its build together with #2 is running.' } },
      waiting: {
        explain: { kind: 'IN_LINE', who: 'QUEUE', sentence: 'It waits for a build; 2 pull requests are before it.' },
      },
      blocked: { explain: { kind: 'BLOCKED', who: 'AUTHOR', sentence: 'The check test failed.' } },
      merged: { explain: { kind: 'MERGED', who: null, sentence: 'It is merged.' } },
    });
  });

  it('are listed newest first, in pages, by any filter', async () => {
    const numbers: number[] = [];
    let after: string | null = null;
    do {
      const {
        pullRequests,
      }: { pullRequests: { nodes: { number: number }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } } =
        await inShop(
          `pullRequests(first: 4${after === null ? '' : `, after: "${after}"`}) { nodes { number } pageInfo { hasNextPage endCursor } }`,
        );
      numbers.push(...pullRequests.nodes.map(({ number }) => number));
      after = pullRequests.pageInfo.hasNextPage ? pullRequests.pageInfo.endCursor : null;
    } while (after !== null);
    expect(numbers).toEqual([6, 5, 4, 3, 2, 1]);
    const filtered = await inShop<Record<string, { nodes: { number: number }[]; totalCount: number }>>(`
      all: pullRequests(first: 1) { nodes { number } totalCount }
      blocked: pullRequests(first: 1, filter: {statuses: [BLOCKED, MERGED]}) { nodes { number } totalCount }
      ada: pullRequests(first: 1, filter: {author: "ada", baseBranch: "main", statuses: [OPEN]}) { nodes { number } totalCount }
      nobody: pullRequests(filter: {author: "nobody"}) { nodes { number } totalCount }
      other: pullRequests(filter: {baseBranch: "other"}) { nodes { number } totalCount }
      words: pullRequests(first: 1, filter: {text: " TOPIC ada "}) { nodes { number } totalCount }
      numbered: pullRequests(filter: {text: "#4 change"}) { nodes { number } totalCount }
      narrowed: pullRequests(filter: {text: "change", statuses: [BLOCKED]}) { nodes { number } totalCount }
      wildcard: pullRequests(filter: {text: "change_4%"}) { nodes { number } totalCount }`);
    expect(filtered).toEqual({
      all: { nodes: [{ number: 6 }], totalCount: 6 },
      blocked: { nodes: [{ number: 5 }], totalCount: 2 },
      ada: { nodes: [{ number: 6 }], totalCount: 1 },
      nobody: { nodes: [], totalCount: 0 },
      other: { nodes: [], totalCount: 0 },
      words: { nodes: [{ number: 6 }], totalCount: 6 },
      numbered: { nodes: [{ number: 4 }], totalCount: 1 },
      narrowed: { nodes: [{ number: 4 }], totalCount: 1 },
      wildcard: { nodes: [], totalCount: 0 },
    });
  });
});

describe('a queue', () => {
  it('has its depth, entries and batches', async () => {
    await s.graphql(
      `mutation ($yaml: String!) { replaceConfiguration(input: {repository: {owner: "acme", name: "shop"}, yaml: $yaml}) { outcome { __typename } } }`,
      {
        yaml: 'merge_rules:\n  labels:\n    trigger: go\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      max_parallel_builds: 1\n',
      },
    );
    const { queue, queueDepth, none } = await inShop<Record<string, unknown>>(`
      none: queue(baseBranch: "other") { id } queueDepth { queued processing waiting tagged }
      queue(baseBranch: "main") { baseBranch paused haltedReason baseTip builds depth { queued processing waiting } entries { number }
        batches(live: true) { nodes { state cause position parent { id } parentCommit commit tree grade members { pullRequest { number } headCommitSha commit }
          botPullRequest { number } checks { name attempt conclusion } proof { digest } } } }`);
    expect(none).toBeNull();
    expect(queueDepth).toEqual({ queued: 3, processing: 1, waiting: 2, tagged: 2 });
    expect(queue).toEqual({
      baseBranch: 'main',
      paused: false,
      haltedReason: null,
      baseTip: sha('a'),
      builds: 1,
      depth: { queued: 3, processing: 1, waiting: 2 },
      entries: [{ number: 1 }, { number: 2 }, { number: 3 }],
      batches: {
        nodes: [
          {
            state: 'BUILDING',
            cause: 'NEW',
            position: 2,
            parent: null,
            parentCommit: sha('a'),
            commit: sha('e'),
            tree: sha('f'),
            grade: null,
            members: [
              { pullRequest: { number: 1 }, headCommitSha: sha(1), commit: null },
              { pullRequest: { number: 2 }, headCommitSha: sha(2), commit: null },
            ],
            botPullRequest: { number: 7 },
            checks: [{ name: 'test', attempt: 2, conclusion: 'PENDING' }],
            proof: null,
          },
        ],
      },
    });
  });

  it('shows the proofs of landed batches', async () => {
    const { queue } = await inShop<{ queue: { batches: { nodes: unknown[] } } }>(
      'queue(baseBranch: "main") { batches { nodes { state grade proof { digest document } members { commit } } } }',
    );
    expect(queue.batches.nodes).toEqual([
      expect.objectContaining({ state: 'BUILDING' }),
      {
        state: 'LANDED',
        grade: 'EXACT',
        proof: { digest: 'd1', document: { grade: 'exact' } },
        members: [{ commit: sha('c') }],
      },
    ]);
  });
});

describe('nodes', () => {
  it('can be read again by the ids of any query', async () => {
    const { id, queue, botPullRequest } = await inShop<{
      id: string;
      queue: { id: string; entries: { id: string }[]; batches: { nodes: { id: string }[] } };
      botPullRequest: { id: string };
    }>('id botPullRequest(number: 7) { id } queue(baseBranch: "main") { id entries { id } batches { nodes { id } } }');
    const ids = [id, queue.id, queue.entries[0]?.id, queue.batches.nodes[0]?.id, botPullRequest.id];
    const answer = await s.graphql<{ nodes: unknown[] }>(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on PullRequest { number repository { name } } } }',
      { ids },
    );
    expect(answer.data.nodes).toEqual([
      { __typename: 'Repository', id: ids[0] },
      { __typename: 'Queue', id: ids[1] },
      { __typename: 'PullRequest', id: ids[2], number: 1, repository: { name: 'shop' } },
      { __typename: 'Batch', id: ids[3] },
      { __typename: 'BotPullRequest', id: ids[4] },
    ]);
  });

  it('are null for ids that are invalid or belong to no object of the account', async () => {
    const ids = [
      '',
      'nonsense',
      encodeNodeId('Repository', '999999'),
      encodeNodeId('Account', s.accountId),
      `${encodeNodeId('Repository', seeded.repositoryId)}=`,
      encodeNodeId('PullRequest', '99999999999999999'),
    ];
    const answer = await s.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(answer.data).toEqual({ nodes: [null, null, null, null, null, null] });
    expect(answer.errors).toEqual([]);
  });
});

describe('repositories', () => {
  beforeAll(async () => {
    for (const name of ['alpha', 'beta', 'zeta']) {
      await s.graphql(
        'mutation ($name: String!) { createRepository(input: {owner: "acme", name: $name, host: LOCAL}) { repository { id } } }',
        { name },
      );
    }
  });

  it('are listed by owner and name, by cursor or by page, never by both', async () => {
    const first = await s.graphql<{
      repositories: { nodes: { name: string }[]; totalCount: number; edges: { cursor: string }[] };
    }>('{ repositories(first: 2) { nodes { name } totalCount edges { cursor } } }');
    expect(first.data.repositories.nodes.map(({ name }) => name)).toEqual(['alpha', 'beta']);
    expect(first.data.repositories.totalCount).toBe(4);
    const after = first.data.repositories.edges[1]?.cursor;
    const byCursor = await s.graphql(
      'query ($after: String) { repositories(first: 2, after: $after) { nodes { name } pageInfo { hasNextPage } } }',
      { after },
    );
    const byPage = await s.graphql('{ repositories(first: 2, page: 2) { nodes { name } pageInfo { hasNextPage } } }');
    expect(byCursor.data).toEqual({
      repositories: { nodes: [{ name: 'shop' }, { name: 'zeta' }], pageInfo: { hasNextPage: false } },
    });
    expect(byPage.data).toEqual(byCursor.data);
    const both = await s.graphql('query ($after: String) { repositories(page: 2, after: $after) { nodes { name } } }', {
      after,
    });
    expect(both.errors).toMatchObject([
      { message: 'page and after exclude each other', extensions: { code: 'BAD_INPUT', field: 'page' } },
    ]);
  });

  it.each([
    ['{ repositories(first: 101) { nodes { id } } }', 'first must be between 1 and 100'],
    ['{ repositories(first: 0) { nodes { id } } }', 'first must be between 1 and 100'],
    ['{ repositories(after: "x") { nodes { id } } }', 'after must be a cursor of this connection'],
    ['{ repositories(page: 0) { nodes { id } } }', 'must be an integer of at least 1'],
    ['{ repository(owner: "acme") { id } }', 'Give either owner and name, or nameWithOwner'],
    [
      '{ repository(owner: "acme", name: "shop", nameWithOwner: "acme/shop") { id } }',
      'Give either owner and name, or nameWithOwner',
    ],
    ['{ repository(nameWithOwner: "acme") { id } }', 'must be a repository as <org>/<name>'],
    ['{ repository(owner: "acme", name: "shop") { pullRequest { id } } }', 'Give either number or headBranch'],
    [
      '{ repository(owner: "acme", name: "shop") { pullRequests(after: "WyJ4Il0") { nodes { id } } } }',
      'after must be a cursor of this connection',
    ],
    [
      '{ repository(owner: "acme", name: "shop") { events(after: "WyJ4Il0") { nodes { action } } } }',
      'after must be a cursor of this connection',
    ],
  ])('are refused for %s', async (query, message) => {
    const { errors } = await s.graphql(query);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(message);
    expect(errors[0]?.extensions.code).toBe('BAD_INPUT');
  });

  it('are not created with the name of another, or with an invalid name', async () => {
    const create = async (owner: string, name: string, defaultBranch = 'main') =>
      (
        await s.graphql(
          'mutation ($owner: String!, $name: String!, $b: String!) { createRepository(input: {owner: $owner, name: $name, host: LOCAL, defaultBranch: $b}) { repository { id } } }',
          { owner, name, b: defaultBranch },
        )
      ).errors[0];
    expect(await create('acme', 'shop')).toMatchObject({
      message: 'A repository acme/shop already exists.',
      extensions: { code: 'CONFLICT', field: 'input.name' },
    });
    for (const [owner, name, branch, field] of [
      ['-a', 'x', 'main', 'input.owner'],
      ['a--b', 'x', 'main', 'input.owner'],
      ['a/b', 'x', 'main', 'input.owner'],
      ['', 'x', 'main', 'input.owner'],
      ['a_', 'x', 'main', 'input.owner'],
      ['Settings', 'x', 'main', 'input.owner'],
      ['api', 'x', 'main', 'input.owner'],
      ['a', '..', 'main', 'input.name'],
      ['a', 'x.git', 'main', 'input.name'],
      ['a', 'x y', 'main', 'input.name'],
      ['a', '../../etc', 'main', 'input.name'],
      ['a', 'x', '-b', 'input.defaultBranch'],
      ['a', 'x', 'a..b', 'input.defaultBranch'],
      ['a', 'x', 'a b', 'input.defaultBranch'],
      ['a', 'x', 'a.lock', 'input.defaultBranch'],
    ] as const) {
      expect([owner, name, branch, (await create(owner, name, branch))?.extensions]).toEqual([
        owner,
        name,
        branch,
        { code: 'BAD_INPUT', field },
      ]);
    }
  });
});

describe('configuration', () => {
  it('is stored as it was written, names its problems in parts, and each change is recorded once', async () => {
    await s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "conf", host: LOCAL}) { repository { id } } }',
    );
    const replace = async (yaml: string) =>
      await s.graphql<{ replaceConfiguration: { outcome: Record<string, unknown> } }>(
        `mutation ($yaml: String!) { replaceConfiguration(input: {repository: {owner: "acme", name: "conf"}, yaml: $yaml}) { outcome {
        ... on ConfigurationAccepted { success } ... on ConfigurationRefused { success messages problems { path reason code line column } } } } }`,
        { yaml },
      );
    const yaml = '# ours\nmerge_rules:\n  labels:\n    trigger: go\n';
    expect((await replace(yaml)).data.replaceConfiguration.outcome).toEqual({ success: true });
    expect((await replace(yaml)).data.replaceConfiguration.outcome).toEqual({ success: true });
    const refused = (await replace('merge_rules:\n  labels:\n    trigger: go\n  lables: {}\n')).data
      .replaceConfiguration.outcome;
    expect(refused).toMatchObject({
      success: false,
      messages: [expect.stringContaining('mergeRules -> lables: is not a known key')],
      problems: [{ path: ['merge_rules', 'lables'], code: 'UNKNOWN_KEY', line: 4 }],
    });
    const { data } = await s.graphql<{ repository: unknown }>(
      '{ repository(owner: "acme", name: "conf") { configuration { yaml } } }',
    );
    expect(data.repository).toEqual({ configuration: { yaml } });
    const history = await s.rows<{ diff: string; email: string }>(
      `select diff, email from configuration_change c join repository r on r.id = c.repository_id where r.name = 'conf'`,
    );
    expect(history).toEqual([
      {
        email: 'service@acme.test',
        diff: expect.stringMatching(/^--- \.service\/config\.yml\n\+\+\+ \.service\/config\.yml\n@@ .* @@\n/),
      },
    ]);
    expect(history[0]?.diff).toContain('-    trigger: mergequeue\n+    trigger: go\n');
    expect(
      await s.rows(
        `select 1 from event e join repository r on r.id = e.repository_id where e.action = 'config_change' and r.name = 'conf'`,
      ),
    ).toHaveLength(1);
  });
});

describe('pausing', () => {
  it('wakes the queue once for each change', async () => {
    const version = async () =>
      (await s.rows<{ version: string }>('select version from queue where id = $1', [seeded.queueId]))[0]?.version;
    const pause = async (paused: boolean) =>
      await s.graphql(
        'mutation ($paused: Boolean!) { pauseRepository(input: {repository: {owner: "acme", name: "shop"}, paused: $paused}) { repository { paused } } }',
        { paused },
      );
    const before = Number(await version());
    expect((await pause(true)).data).toEqual({ pauseRepository: { repository: { paused: true } } });
    await pause(true);
    expect(Number(await version())).toBe(before + 1);
    await pause(false);
    const actions = await s.rows<{ action: string }>(
      `select action from event where repository_id = $1 and action like 'repository_%paused' order by id`,
      [seeded.repositoryId],
    );
    expect(actions.map(({ action }) => action)).toEqual(['repository_paused', 'repository_unpaused']);
  });
});
