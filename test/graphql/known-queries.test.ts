// Frequent queries are answered without Apollo Server. Their answers are the same as those of Apollo Server.
import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { metricsOf } from '../support/metrics.ts';
import { fc } from '../support/properties.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

const byApollo = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
const burst = 100_000;
/** A query is compiled after fifty requests, and once more after an error of its compiled form. */
const often = 120;
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ clock: () => new Date('2026-01-05T00:00:00Z'), rateLimit: { perSecond: 1, burst } });
  await seed(s);
  for (const query of queries) await ask({ query, variables: usual }, {}, often);
});
afterAll(async () => await s.close());
beforeEach(() => void byApollo.mockClear());

const usual = { owner: 'acme', name: 'shop', number: 1 };
const queries = [
  'query One($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { number title queuedAt latestBotPullRequest { number } } } }',
  'query Line($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { queuedPullRequests { number status position repository { owner } } } }',
  'query GetPullRequest { viewer { email } }',
  '{ repositories(first: 2) { totalCount nodes { name pullRequests(first: 3) { nodes { number labels } } } } }',
];

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const ownHeaders = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']);

async function ask(body: unknown, headers: Headers = {}, times = 1): Promise<Answer> {
  const answer = await fetch(`${s.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  if (times > 1) return await ask(body, headers, times - 1);
  const kept = [...answer.headers].filter(([name]) => !ownHeaders.has(name)).toSorted();
  return { status: answer.status, headers: Object.fromEntries(kept), text };
}

/** The answers to a request, and to the same request with an empty object that sends it to Apollo Server. */
async function byBoth(body: Readonly<Record<string, unknown>>, headers: Headers = {}) {
  const before = await pointsLeft();
  const first = await ask(body, headers);
  const between = await pointsLeft();
  const second = await ask({ ...body, extensions: {} }, headers);
  return { answers: [first, second] as const, prices: [before - between, between - (await pointsLeft())] };
}

async function pointsLeft(): Promise<number> {
  const answer = await fetch(`${s.url}/api/v1/repo`, { headers: { authorization: `Bearer ${s.token}` } });
  return Number(answer.headers.get('ratelimit-remaining'));
}

describe('a query that was asked often', () => {
  it.each(queries)('is answered without Apollo Server: %s', async (query) => {
    const { status, text } = await ask({ query, variables: usual });
    expect([status, byApollo.mock.calls.length]).toEqual([200, 0]);
    expect(JSON.parse(text)).toHaveProperty('data');
  });

  it('is answered as by Apollo Server, for any variables, name and headers', async () => {
    const text = fc.constantFrom('acme', 'shop', 'none', '', 'a\u0000b', '\ud800', '"\\\u2028é');
    const request = fc.record({
      query: fc.constantFrom(...queries),
      variables: fc.oneof(
        { weight: 3, arbitrary: fc.constant(usual as unknown) },
        fc.record(
          {
            owner: text,
            name: fc.oneof(text, fc.constant(7)),
            number: fc.constantFrom(1, 2, 99, null, 'x', 1.5, 2 ** 40),
          },
          { requiredKeys: [] },
        ),
        fc.constantFrom<unknown>(null, [], 'text', {}),
      ),
      operationName: fc.constantFrom<unknown>(undefined, null, 'One', 'Line', '', 7),
    });
    const headers = fc.record(
      {
        accept: fc.constantFrom('*/*', 'application/json', 'application/graphql-response+json', 'text/html', ''),
        'content-type': fc.constantFrom('application/json; charset=utf-8', 'APPLICATION/JSON', 'text/plain'),
        // Few wrong tokens, because an address that sends many of them is refused.
        authorization: fc.oneof(
          { weight: 9, arbitrary: fc.constant(`Bearer ${s.token}`) },
          { weight: 1, arbitrary: fc.constant('Bearer wrong') },
        ),
        'idempotency-key': fc.constant('a key'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(request, headers, async (body, sent) => {
        const { answers, prices } = await byBoth(body, sent);
        expect(answers[0]).toEqual(answers[1]);
        expect(prices[0]).toBe(prices[1]);
      }),
      { numRuns: 120 },
    );
  });

  it('counts once in the metrics, under the name of its operation', async () => {
    const [, , known] = queries;
    const count = async (): Promise<number | undefined> =>
      metricsOf(await (await fetch(`${s.url}/metrics`)).text())[
        'interlock_graphql_operation_duration_seconds_count{operation="GetPullRequest",outcome="ok"}'
      ];
    const before = (await count()) ?? 0;
    await ask({ query: known });
    expect([await count(), byApollo.mock.calls.length]).toEqual([before + 1, 0]);
  });

  it('is left to Apollo Server if it meets an error, and costs its points once', async () => {
    const query = '{ repositories(first: 1) { nodes { configuration { yaml } } } }';
    const scoped = { authorization: `Bearer ${await s.tokenWith(['queue:read', 'config:read'])}` };
    await ask({ query }, scoped, often);
    byApollo.mockClear();
    await ask({ query }, scoped);
    expect(byApollo).not.toHaveBeenCalled();
    const without = { authorization: `Bearer ${await s.tokenWith(['queue:read'])}` };
    const { answers, prices } = await byBoth({ query }, without);
    expect(answers[0].text).toContain('FORBIDDEN');
    expect(answers[0]).toEqual(answers[1]);
    expect(prices[0]).toBe(prices[1]);
  });
});
