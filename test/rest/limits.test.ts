// The limits of requests (interface 8) on the running service.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { OpenApi } from './contract/openapi.ts';
import { prepareRepository } from './contract/repository.ts';

let server: TestServer;
let number: number;
beforeAll(async () => {
  server = await startServer({ rateLimit: 'as usual' });
  ({ number } = await prepareRepository(server));
});
afterAll(async () => await server.close());

const mib = 1024 * 1024;
const config = '/api/v1/config?org=acme&repo=web';

const openApi = new OpenApi();

/** An answer that the OpenAPI document describes. */
async function documented(request: string, answer: Response): Promise<{ readonly error?: string }> {
  const raw = { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  expect(openApi.problemsOfAnswer(request, raw)).toEqual([]);
  return JSON.parse(raw.body) as { error?: string };
}

async function post(path: string, body: unknown): Promise<[status: number, error: unknown]> {
  const answer = await server.rest('POST', path, { body });
  return [answer.status, (await documented(`POST ${path.replace(/\?.*/, '')}`, answer)).error];
}

it('a configuration may have 256 KiB', async () => {
  const yaml = 'merge_rules: {labels: {trigger: go}}\n';
  const padded = (bytes: number): string => `${yaml}#${'x'.repeat(bytes - yaml.length - 1)}`;
  expect(await post(config, padded(256 * 1024))).toEqual([200, undefined]);
  expect(await post(config, padded(256 * 1024 + 1))).toEqual([413, 'Request body is too large']);
});

it('a body may have 20 MiB if it may contain affected targets, and otherwise 1 MiB', async () => {
  const update = (bytes: number) => ({
    action: 'update',
    pull_request: {
      number,
      repository: { org: 'acme', name: 'web' },
      affected_targets: Array.from({ length: bytes / 1024 }, (_, at) => `//${at}/${'x'.repeat(1000)}`),
    },
  });
  for (const size of [4, 19]) expect(await post('/api/v1/pull_request', update(size * mib))).toEqual([200, undefined]);
  expect(await post('/api/v1/pull_request', update(21 * mib))).toEqual([413, 'Request body is too large']);
  const pause = { org: 'acme', name: 'web', paused: false, why: 'x'.repeat(mib) };
  expect(await post('/api/v1/repo', pause)).toEqual([413, 'Request body is too large']);
});

it('a pull request may have 100,000 affected targets, each of 1,024 characters', async () => {
  const update = (affected_targets: readonly string[]) => ({
    action: 'update',
    pull_request: { number, repository: { org: 'acme', name: 'web' }, affected_targets },
  });
  const targets = Array.from({ length: 100_001 }, (_, at) => `//${at}`);
  expect(await post('/api/v1/pull_request', update([...targets.slice(2), 'x'.repeat(1024)]))).toEqual([200, undefined]);
  expect(await post('/api/v1/pull_request', update(targets))).toEqual([
    400,
    'pull_request.affected_targets must have at most 100,000 entries: name larger parts of the code base, such as packages for files.',
  ]);
  const must = 'pull_request.affected_targets.0 must be text of 1 to 1024 characters';
  for (const [target, message] of [
    ['', must],
    [1, must],
    [null, 'pull_request.affected_targets.0 must not be null'],
    [{}, must],
    ['x'.repeat(1025), `${must}: shorten the name of the target`],
  ])
    expect(await post('/api/v1/pull_request', update([target as string]))).toEqual([400, message]);
});

it('an account may have 1,000,000 affected targets, and those of merged or closed pull requests are deleted', async () => {
  const update = (of: number, affected_targets: readonly string[]) => ({
    action: 'update',
    pull_request: { number: of, repository: { org: 'acme', name: 'web' }, affected_targets },
  });
  const stored = async (): Promise<number> => {
    const [row] = await server.rows<{ stored: string }>('select stored from account_targets');
    return Number(row?.stored);
  };
  await post('/api/v1/pull_request', update(number, ['//a', '//b', '//a']));
  expect(await stored()).toBe(2);
  // Stores the targets that other pull requests of the account would have.
  await server.rows('update account_targets set stored = stored + 999997');
  expect(await post('/api/v1/pull_request', update(number, ['//a', '//b', '//c']))).toEqual([200, undefined]);
  expect(await post('/api/v1/pull_request', update(number, ['//a', '//b', '//c', '//d']))).toEqual([
    400,
    expect.stringMatching(/^pull_request\.affected_targets would make more than 1,000,000 .*: name larger parts/),
  ]);
  expect(await server.rows('select affected_targets as targets from pull_request')).toEqual([
    { targets: ['//a', '//b', '//c'] },
  ]);
  expect(await stored()).toBe(1_000_000);
  const [row] = await server.rows<{ accountId: string; id: string }>(
    'select account_id as "accountId", id from repository where name = \'web\'',
  );
  if (row) await server.service.localHost.closePullRequest({ ...row, owner: 'acme', name: 'web' }, number);
  await server.drain();
  expect(await stored()).toBe(999_997);
  expect(await post('/api/v1/pull_request', update(number, ['//a']))).toEqual([200, undefined]);
  expect(await stored()).toBe(999_997);
});

it('text that is not Unicode or contains U+0000 is refused with the name of the field', async () => {
  for (const name of ['a\0b', '\ud800']) {
    const message = 'must be Unicode text without the character U+0000';
    expect(await post('/api/v1/repo', { org: 'acme', name, paused: true })).toEqual([400, `name ${message}`]);
    const { errors } = await server.graphql(
      'query ($name: String!) { repository(owner: "acme", name: $name) { id } }',
      {
        name,
      },
    );
    expect(errors[0]?.extensions.code).toBe('BAD_INPUT');
  }
});

it('every answer shows what is left of the rate limit', async () => {
  const { headers } = await server.rest('GET', '/api/v1/repo');
  expect(headers.get('ratelimit-limit')).toBe('200');
  expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(200);
  expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
});

it('a refusal by the rate limit says when to come back', async () => {
  const slow = await startServer({ rateLimit: { perSecond: 0.01, burst: 2 } });
  try {
    const statuses = [];
    for (let time = 0; time < 2; time += 1) statuses.push((await slow.rest('GET', '/api/v1/repo')).status);
    const refused = await slow.rest('GET', '/api/v1/repo');
    expect([...statuses, refused.status]).toEqual([200, 200, 429]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await documented('GET /api/v1/repo', refused)).toEqual({
      error: expect.stringMatching(/^Too many requests/),
    });
  } finally {
    await slow.close();
  }
});

it('requests of git count for the same rate limit', async () => {
  const slow = await startServer({ rateLimit: { perSecond: 0.01, burst: 2 } });
  try {
    const ask = async (): Promise<Response> =>
      await fetch(`${slow.url}/git/acme/none.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Bearer ${slow.token}` },
      });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(answers[0]?.headers.get('ratelimit-remaining')).toBe('1');
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answers[2]?.text()).toMatch(/^Too many requests/);
  } finally {
    await slow.close();
  }
});
