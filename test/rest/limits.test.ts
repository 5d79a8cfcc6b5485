// How much may be sent (interface 8), told by the running service.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { prepareRepository } from './contract/repository.ts';

let server: TestServer;
let number: number;
beforeAll(async () => {
  server = await startServer();
  ({ number } = await prepareRepository(server));
});
afterAll(async () => await server.close());

const mib = 1024 * 1024;
const config = '/api/v1/config?org=acme&repo=web';

async function post(path: string, body: unknown): Promise<[status: number, error: unknown]> {
  const answer = await server.rest('POST', path, { body });
  return [answer.status, ((await answer.json()) as { error?: string }).error];
}

it('takes 256 KiB of a configuration', async () => {
  const yaml = 'merge_rules: {labels: {trigger: go}}\n';
  const padded = (bytes: number): string => `${yaml}#${'x'.repeat(bytes - yaml.length - 1)}`;
  expect(await post(config, padded(256 * 1024))).toEqual([200, undefined]);
  expect(await post(config, padded(256 * 1024 + 1))).toEqual([413, 'Request body is too large']);
});

it('takes 20 MiB where affected targets may come, and 1 MiB elsewhere', async () => {
  const update = (bytes: number) => ({
    action: 'update',
    pull_request: {
      number,
      repository: { org: 'acme', name: 'web' },
      affected_targets: Array.from({ length: bytes / 1024 }, (_, at) => `//${at}/${'x'.repeat(1000)}`),
    },
  });
  expect(await post('/api/v1/pull_request', update(4 * mib))).toEqual([200, undefined]);
  expect(await post('/api/v1/pull_request', update(21 * mib))).toEqual([413, 'Request body is too large']);
  const pause = { org: 'acme', name: 'web', paused: false, why: 'x'.repeat(mib) };
  expect(await post('/api/v1/repo', pause)).toEqual([413, 'Request body is too large']);
});

it('takes no text that is none, by its field', async () => {
  for (const name of ['a\0b', '\ud800']) {
    const told = 'must be Unicode text without the character U+0000';
    expect(await post('/api/v1/repo', { org: 'acme', name, paused: true })).toEqual([400, `name ${told}`]);
    const { errors } = await server.graphql(
      'query ($name: String!) { repository(owner: "acme", name: $name) { id } }',
      {
        name,
      },
    );
    expect(errors[0]?.extensions.code).toBe('BAD_INPUT');
  }
});

it('tells in every answer what is left of the rate limit', async () => {
  const { headers } = await server.rest('GET', '/api/v1/repo');
  expect(headers.get('ratelimit-limit')).toBe('200');
  expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(200);
  expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
});

it('says when to come back once nothing is left', async () => {
  const slow = await startServer({ rateLimit: { perSecond: 0.01, burst: 2 } });
  try {
    const statuses = [];
    for (let time = 0; time < 2; time += 1) statuses.push((await slow.rest('GET', '/api/v1/repo')).status);
    const refused = await slow.rest('GET', '/api/v1/repo');
    expect([...statuses, refused.status]).toEqual([200, 200, 429]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({ error: expect.stringMatching(/^Too many requests/) });
  } finally {
    await slow.close();
  }
});
