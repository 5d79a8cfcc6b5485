// A page of the line has the same pull requests and places as the same part of the whole line.
import { fc } from '../support/properties.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, type SeededRepository } from './seed.ts';

let s: TestServer;
let seeded: SeededRepository;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
});
afterAll(async () => await s.close());

interface InLine {
  readonly rank: number;
  readonly skipsLine: boolean;
}

interface Entry {
  readonly position: number;
  readonly number: number;
}

const longest = 12;

/** A line in any order of insertion, in which each pull request has a rank of its own. */
const lines = fc
  .uniqueArray(fc.record({ rank: fc.integer({ min: 1, max: 40 }), skipsLine: fc.boolean() }), {
    selector: ({ rank }) => rank,
    maxLength: longest,
  })
  .filter((line) => line.length > 0);

/** Replaces the line of the queue. The number of a pull request is 100 + its index. */
async function fill(line: readonly InLine[]): Promise<void> {
  await s.rows(
    "update pull_request set status = 'open', rank = null where queue_id = $1 and status in ('queued', 'tagged')",
    [seeded.queueId],
  );
  await s.rows(
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, rank, skip_line, queued_at, created_at)
     select $1::bigint, $2::bigint, $3::bigint, 100 + n, '', 'ada', 'Ada', 'ada@example.test', 'h' || n, 'main', md5(n::text), '', 'queued', ($4::bigint[])[n + 1], ($5::boolean[])[n + 1], now(), now()
     from generate_series(0, $6::integer - 1) n
     on conflict (account_id, repository_id, number) do update set status = 'queued', rank = excluded.rank, skip_line = excluded.skip_line`,
    [
      s.accountId,
      seeded.repositoryId,
      seeded.queueId,
      line.map(({ rank }) => rank),
      line.map(({ skipsLine }) => skipsLine),
      line.length,
    ],
  );
}

function inOrder(line: readonly InLine[]): Entry[] {
  return line
    .map((each, index) => ({ ...each, number: 100 + index }))
    .toSorted((a, b) => Number(b.skipsLine) - Number(a.skipsLine) || a.rank - b.rank)
    .map(({ number }, index) => ({ number, position: index + 1 }));
}

interface Page {
  readonly entries: Entry[];
  readonly hasNextPage: boolean;
  readonly cursors: string[];
}

async function read(of: { first: number; after?: string | null; from?: number }): Promise<Page> {
  const { data, errors } = await s.graphql<{
    repository: {
      queue: {
        line: {
          edges: { cursor: string; node: { position: number; pullRequest: { number: number } } }[];
          pageInfo: { hasNextPage: boolean };
        };
      };
    };
  }>(
    `query ($first: Int!, $after: String, $from: Int!) { repository(owner: "acme", name: "shop") { queue(baseBranch: "main") {
       line(first: $first, after: $after, from: $from) { edges { cursor node { position pullRequest { number } } } pageInfo { hasNextPage } } } } }`,
    { from: 1, ...of },
  );
  expect(errors).toEqual([]);
  const { edges, pageInfo } = data.repository.queue.line;
  return {
    entries: edges.map(({ node }) => ({ number: node.pullRequest.number, position: node.position })),
    hasNextPage: pageInfo.hasNextPage,
    cursors: edges.map(({ cursor }) => cursor),
  };
}

it('a page is the same part of the whole line, from any place and after any entry', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.integer({ min: 1, max: longest }),
      fc.nat(longest),
      fc.nat(longest),
      async (line, first, passed, from) => {
        await fill(line);
        const expected = inOrder(line);
        const whole = await read({ first: longest });
        expect(whole.entries).toEqual(expected);
        const after = passed === 0 ? null : (whole.cursors[passed - 1] ?? null);
        const start = Math.max(after === null ? 0 : passed, from);
        const page = await read({ first, after, from: from + 1 });
        expect(page.entries).toEqual(expected.slice(start, start + first));
        expect(page.hasNextPage).toBe(expected.length > start + first);
      },
    ),
    { numRuns: 60 },
  );
});

it('a page begins after an entry that has left the line', async () => {
  await fill([
    { rank: 1, skipsLine: false },
    { rank: 2, skipsLine: true },
    { rank: 3, skipsLine: false },
    { rank: 4, skipsLine: true },
  ]);
  const { cursors } = await read({ first: 4 });
  await s.rows(
    "update pull_request set status = 'open', rank = null where number in (100, 101) and repository_id = $1",
    [seeded.repositoryId],
  );
  expect((await read({ first: 4, after: cursors[0] ?? '' })).entries).toEqual([
    { number: 103, position: 1 },
    { number: 102, position: 2 },
  ]);
  expect((await read({ first: 4, after: cursors[2] ?? '' })).entries).toEqual([{ number: 102, position: 2 }]);
});

it('places in line are those of the whole line, for any choice of pull requests', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(longest - 1), { maxLength: 6 }), async (line, chosen) => {
      await fill(line);
      const expected = new Map(inOrder(line).map(({ number, position }) => [number, position]));
      const numbers = [...new Set(chosen)].map((index) => 100 + index).filter((number) => expected.has(number));
      if (numbers.length === 0) return;
      const { data } = await s.graphql<{ repository: Record<string, { position: number }> }>(
        `{ repository(owner: "acme", name: "shop") { ${numbers.map((number) => `n${number}: pullRequest(number: ${number}) { position }`).join(' ')} } }`,
      );
      expect(Object.values(data.repository).map(({ position }) => position)).toEqual(
        numbers.map((number) => expected.get(number)),
      );
    }),
    { numRuns: 40 },
  );
});
