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
