// What the cache of a page still has after the page was open for hours.
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange, type Cache } from '@urql/exchange-graphcache';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cacheOptions } from '../../dashboard/src/app/cache.ts';

const depthDocument = gql`
  query Depth($from: String) {
    repository {
      __typename
      id
      queue(baseBranch: "main") {
        __typename
        id
        asOf
        depthHistory(from: $from) {
          __typename
          at
        }
      }
    }
  }
`;

const momentDocument = gql`
  query Moment($at: String) {
    repository {
      __typename
      id
      queue(baseBranch: "main", asOf: $at) {
        __typename
        id
        asOf
        entries {
          __typename
          id
        }
      }
    }
  }
`;

const countDocument = gql`
  query Count {
    counted
  }
`;

/** Answers as the server: each minute has a depth, and each moment a line. */
const answer: typeof fetch = async (url, init) => {
  const body = (await new Request(url, init).json()) as { variables?: { from?: string; at?: string } };
  // A request without variables has no part `variables`.
  const { from, at = null } = body.variables ?? {};
  const depthHistory = [{ __typename: 'QueueDepthPoint', at: from }];
  const entries = [{ __typename: 'PullRequest', id: `of ${at}` }];
  const queue = { __typename: 'Queue', id: 'q', asOf: at, depthHistory, entries };
  return Response.json({ data: { repository: { __typename: 'Repository', id: 'r', queue } } });
};

function open(count: (cache: Cache) => number) {
  const resolvers = { Query: { counted: (_parent: unknown, _args: unknown, cache: Cache) => count(cache) } };
  const exchanges = [cacheExchange({ ...cacheOptions, resolvers }), fetchExchange];
  const client = new Client({ url: 'http://cache.test/graphql', preferGetMethod: false, fetch: answer, exchanges });
  return {
    ask: async (document: typeof depthDocument, variables: object) =>
      (await client.query(document, variables).toPromise()).error ?? null,
    counted: async () =>
      ((await client.query(countDocument, {}, { requestPolicy: 'cache-only' }).toPromise()).data as { counted: number })
        .counted,
  };
}

const hour = Array.from({ length: 60 }, (_, minute) => `2026-11-23T12:${String(minute).padStart(2, '0')}:00Z`);

// The library never removes anything if NODE_ENV is test.
beforeAll(() => void vi.stubEnv('NODE_ENV', 'production'));
afterAll(() => void vi.unstubAllEnvs());

describe('the cache of the dashboard', () => {
  it('keeps only the newest depth of a queue, however many minutes the page is open', async () => {
    const { ask, counted } = open((cache) => {
      const kept = hour.filter((from) => cache.inspectFields(`Queue:q.depthHistory({"from":"${from}"}).0`).length > 0);
      return (
        kept.length + cache.inspectFields('Queue:q').filter(({ fieldName }) => fieldName === 'depthHistory').length
      );
    });
    for (const from of hour) expect(await ask(depthDocument, { from })).toBeNull();
    // The newest field `depthHistory`, and its point.
    await expect.poll(counted).toBe(2);
  });

  it('keeps one moment of the past besides the present, however many moments the user has looked at', async () => {
    const { ask, counted } = open((cache) => {
      const kept = [...hour.map((at) => `of ${at}`), 'of null'].filter(
        (id) => cache.inspectFields(`PullRequest:${id}`).length > 0,
      );
      return kept.length;
    });
    expect(await ask(momentDocument, { at: null })).toBeNull();
    for (const at of hour) expect(await ask(momentDocument, { at })).toBeNull();
    await expect.poll(counted).toBe(2);
  });
});
