import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

let s: TestServer;
const repository = { owner: 'acme', name: 'shop' };
beforeAll(async () => {
  s = await startServer();
  await seed(s);
});
afterAll(async () => await s.close());

async function pause(pattern: string, paused: boolean, pausedMessage?: string): Promise<void> {
  const { errors } = await s.graphql(
    'mutation ($input: PauseBranchesInput!) { pauseBranches(input: $input) { branchPause { pattern repository { name } } } }',
    { input: { repository, pattern, paused, pausedMessage } },
  );
  expect(errors).toEqual([]);
}

async function pauseState() {
  const { data } = await s.graphql<{
    repository: {
      queue: { paused: boolean; pause: unknown };
      pullRequest: { explain: { kind: string; sentence: string } };
    };
  }>(`{ repository(owner: "acme", name: "shop") {
    queue(baseBranch: "main") { paused pause { pattern message } }
    pullRequest(number: 3) { explain { kind sentence } }
  } }`);
  const { queue, pullRequest } = data.repository;
  return { ...queue, explained: pullRequest.explain };
}

it('the queue shows the pause in force, and the explanation has its message', async () => {
  expect(await pauseState()).toMatchObject({ paused: false, pause: null });
  await pause('ma*', true, 'Until the release is out.');
  expect(await pauseState()).toEqual({
    paused: true,
    pause: { pattern: 'ma*', message: 'Until the release is out.' },
    explained: { kind: 'PAUSED', sentence: 'The queue is paused: Until the release is out.' },
  });
  await pause('main', false);
  expect(await pauseState()).toMatchObject({ paused: false, pause: null });
});

it('a pause of the repository applies, whatever is set for its branches', async () => {
  await pause('main', false);
  await s.rest('POST', '/api/v1/repo', { body: { org: 'acme', name: 'shop', paused: true } });
  expect(await pauseState()).toMatchObject({ paused: true, pause: { pattern: null, message: null } });
  await s.rest('POST', '/api/v1/repo', { body: { org: 'acme', name: 'shop', paused: false } });
});

it('the history of a configuration is paged by cursor or by number, never by both', async () => {
  for (const trigger of ['a', 'b', 'c'])
    await s.rest('POST', '/api/v1/config?org=acme&repo=shop', {
      body: `merge_rules: {labels: {trigger: ${trigger}}}\n`,
    });
  interface Page {
    repository: {
      configurationHistory: { nodes: { diff: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    } | null;
  }
  const ask = async (args: string) => {
    const { data, errors } = await s.graphql<Page | null>(
      `{ repository(owner: "acme", name: "shop") { configurationHistory(${args}) { nodes { diff } pageInfo { hasNextPage endCursor } } } }`,
    );
    const page = data?.repository?.configurationHistory;
    return { ...page?.pageInfo, triggers: page?.nodes.map(({ diff }) => /\+.*trigger: (\w)/.exec(diff)?.[1]), errors };
  };
  const first = await ask('first: 2');
  expect(first).toMatchObject({ triggers: ['c', 'b'], hasNextPage: true });
  expect(await ask(`first: 2, after: "${first.endCursor}"`)).toMatchObject({ triggers: ['a'], hasNextPage: false });
  expect(await ask('first: 2, page: 2')).toMatchObject({ triggers: ['a'], hasNextPage: false });
  const both = await ask(`first: 2, page: 2, after: "${first.endCursor}"`);
  expect(both.errors[0]?.message).toBe('page and after exclude each other');
});
