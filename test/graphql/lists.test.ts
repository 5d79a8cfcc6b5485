// Compares a list, for any filter and read page by page, with a filter over all rows.
import { fc } from '../support/properties.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const statuses: readonly string[] = ['open', 'pending', 'blocked', 'merged', 'closed'];
const [authors, bases] = [
  ['ada', 'bob', 'cy'],
  ['main', 'next', 'release'],
] as const;
const count = 150;

interface Known {
  readonly number: number;
  readonly author: string;
  readonly base: string;
  readonly status: string;
}

let s: TestServer;
let newestFirst: Known[];
beforeAll(async () => {
  s = await startServer();
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
  newestFirst = await s.rows<Known>(
    `insert into pull_request (account_id, repository_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at)
     select r.account_id, r.id, n, 'T', ($1::text[])[1 + floor(random() * 3)], 'A', 'a@example.test', 'b' || n, ($2::text[])[1 + floor(random() * 3)], repeat('a', 40), 'https://example.test',
       ($3::text[])[1 + floor(random() * 5)], now() from repository r, generate_series(1, $4::int) n
     returning number, author, base_branch as base, status`,
    [authors, bases, statuses, count],
  );
  newestFirst.sort((a, b) => b.number - a.number);
  await s.rows(
    `with place as (select id, account_id from repository),
     queue as (insert into queue (account_id, repository_id, base_branch) select account_id, id, 'main' from place),
     project as (insert into release_project (account_id, name, repository_id, created_at)
       select account_id, 'shop', id, now() from place returning id, account_id, repository_id),
     release as (insert into release (account_id, project_id, version, created_at)
       select account_id, id, '1.0', now() from project returning id)
     insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at, ended_at)
       select p.account_id, p.id, r.id, '1.0-rc1', 1, repeat('a', 40), p.repository_id, 'ready', 'ada', now(), now() from project p, release r`,
  );
});
afterAll(async () => await s.close());

interface Asked {
  readonly author: string | null;
  readonly baseBranch: string | null;
  readonly statuses: readonly string[] | null;
}

async function walk(filter: Asked, first: number): Promise<number[]> {
  const numbers: number[] = [];
  let after: string | null = null;
  do {
    const answer: { readonly data: Answer } = await s.graphql<Answer>(
      `query ($filter: PullRequestFilter, $first: Int, $after: String) { repository(owner: "acme", name: "shop") {
         pullRequests(filter: $filter, first: $first, after: $after) { nodes { number } pageInfo { hasNextPage endCursor } } } }`,
      { filter: { ...filter, statuses: filter.statuses?.map((status) => status.toUpperCase()) ?? null }, first, after },
    );
    const { nodes, pageInfo } = answer.data.repository.pullRequests;
    expect(nodes.length).toBeLessThanOrEqual(first);
    numbers.push(...nodes.map(({ number }) => number));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return numbers;
}

interface Answer {
  readonly repository: {
    readonly pullRequests: {
      readonly nodes: readonly { readonly number: number }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    };
  };
}

it('the list of pull requests contains those that match the filter, the newest first', async () => {
  const anyOf = (values: readonly string[]) => fc.option(fc.constantFrom(...values, 'nobody'));
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        author: anyOf(authors),
        baseBranch: anyOf(bases),
        statuses: fc.option(fc.array(fc.constantFrom(...statuses), { maxLength: 4 })),
      }),
      fc.integer({ min: 5, max: 100 }),
      async (asked, first) => {
        const matching = newestFirst.filter(
          ({ author, base, status }) =>
            (asked.author ?? author) === author &&
            (asked.baseBranch ?? base) === base &&
            (asked.statuses?.includes(status) ?? true),
        );
        expect(await walk(asked, first)).toEqual(matching.map(({ number }) => number));
      },
    ),
    { numRuns: 40 },
  );
});

const made = (...key: readonly (string | number)[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');
const inShop = (list: string): string => `repository(owner: "acme", name: "shop") { ${list} }`;

it.each([
  `users(after: "${made('\0')}") { nodes { id } }`,
  `users(after: "${made('\ud800')}") { nodes { id } }`,
  `teams(after: "${made('acme', '\0')}") { nodes { id } }`,
  `repositories(after: "${made('\0', 'shop')}") { nodes { id } }`,
  `previewSecrets(after: "${made('\0')}") { nodes { id } }`,
  `previewImages(after: "${made('\0')}") { nodes { id } }`,
  `releaseProjects(after: "${made('\0')}") { nodes { id } }`,
  inShop(`permissionHolders(permission: SKIP_LINE, after: "${made('a', 'user', 'x')}") { nodes { source } }`),
  inShop(
    `permissionHolders(permission: SKIP_LINE, after: "${made('a', 'user', '9'.repeat(30))}") { nodes { source } }`,
  ),
  inShop(`queue(baseBranch: "main") { line(after: "${made(0.5, 1)}") { nodes { position } } }`),
  inShop(`queue(baseBranch: "main") { line(after: "${made(1e300, 1)}") { nodes { position } } }`),
  inShop(`queue(baseBranch: "main") { line(after: "${made(1, 0.5)}") { nodes { position } } }`),
  ...[
    '["x", "1"]',
    '["2026-02-31T25:00:00Z", "1"]',
    '["+275760-09-13T00:00:00Z", "1"]',
    '["0000-01-01T00:00:00Z", "1"]',
    '["2026-01-01T00:00:00.000Z", "x"]',
  ].map(
    (key) =>
      `releaseProject(name: "shop") { releaseCandidates { nodes { pullRequests(after: "${Buffer.from(key).toString('base64url')}") { nodes { id } } } } }`,
  ),
])('a cursor that a client made up is refused: %s', async (list) => {
  const { errors } = await s.graphql(`{ ${list} }`);
  expect(errors.map(({ message, extensions }) => [message, extensions.code])).toEqual([
    ['after must be a cursor of this connection', 'BAD_INPUT'],
  ]);
});
