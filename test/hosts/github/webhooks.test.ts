// Webhooks of GitHub over HTTP: only signed webhooks count, each once.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hostDeliveryForgetting } from '../../../src/modules/github/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { appWorld, type AppWorld } from './app-world.ts';
import { forget } from '../../support/forget.ts';

let w: AppWorld;
let githubId: number;

beforeAll(async () => {
  w = await appWorld();
  ({ id: githubId } = await w.emulator.addRepository('shop'));
  await w.emulator.addRepository('asleep');
  await w.addFirstApp();
  await w.activate('shop');
});
afterAll(async () => await w.close());
beforeEach(async () => {
  // GitHub reports the installation of the App first.
  await w.emulator.core.settled();
  await w.rows('delete from host_hint');
  await w.rows('delete from host_delivery');
});

function pushOf(branch: string, given: object = {}): string {
  return JSON.stringify({ ref: `refs/heads/${branch}`, repository: { id: githubId }, ...given });
}

async function hints(): Promise<string[]> {
  const found = await w.rows<{ kind: string; subject: string }>('select kind, subject from host_hint order by id');
  return found.map(({ kind, subject }) => `${kind} ${subject}`);
}

async function deliveries(): Promise<string[]> {
  return (await w.rows<{ id: string }>('select id from host_delivery')).map(({ id }) => id);
}

test.each<{ name: string; headers?: Record<string, string | null>; body?: string; path?: string; status: number }>([
  { name: 'a forged signature', headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, status: 401 },
  { name: 'a signature of another kind', headers: { 'x-hub-signature-256': 'sha1=abc' }, status: 401 },
  { name: 'no signature', headers: { 'x-hub-signature-256': null }, status: 401 },
  { name: 'no body', body: '', status: 401 },
  { name: 'no delivery id', headers: { 'x-github-delivery': null }, status: 400 },
  { name: 'no event', headers: { 'x-github-event': null }, status: 400 },
  { name: 'a body that is not JSON', body: 'payload=%7B%7D', status: 400 },
  { name: 'a body that is not an object', body: '7', status: 400 },
  { name: 'the address of no App', path: 'f00d', status: 404 },
  { name: 'an address that no database takes', path: '%00', status: 404 },
])(
  '$name is answered $status, and nothing is stored',
  async ({ headers = {}, body = pushOf('main'), path, status }) => {
    const answer = await w.send({ body, headers, ...(path === undefined ? {} : { path }) });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: expect.any(String) as string });
    expect(await hints()).toEqual([]);
    expect(await deliveries()).toEqual([]);
  },
);

test('a signed webhook becomes a hint, and a second copy of its delivery has no effect', async () => {
  const headers = { 'x-github-delivery': 'once' };
  const first = await w.send({ body: pushOf('main'), headers });
  expect([first.status, await hints(), await deliveries()]).toEqual([202, ['push refs/heads/main'], ['once']]);
  await w.rows('delete from host_hint');
  const again = await w.send({ body: pushOf('main'), headers });
  expect([again.status, await hints(), await deliveries()]).toEqual([202, [], ['once']]);
});

test('two copies of a delivery that arrive at once have one effect', async () => {
  const headers = { 'x-github-delivery': 'twice' };
  const both = await Promise.all([
    w.send({ body: pushOf('main'), headers }),
    w.send({ body: pushOf('main'), headers }),
  ]);
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  expect([await hints(), await deliveries()]).toEqual([['push refs/heads/main'], ['twice']]);
});

test('a payload of ten megabytes is read', async () => {
  const answer = await w.send({ body: pushOf('large', { padding: 'x'.repeat(10 * 1024 * 1024) }) });
  expect([answer.status, await hints()]).toEqual([202, ['push refs/heads/large']]);
});

test('a payload larger than those of GitHub is refused', async () => {
  const answer = await w.send({ body: pushOf('huge', { padding: 'x'.repeat(26 * 1024 * 1024) }) });
  expect([answer.status, await hints()]).toEqual([413, []]);
});

test('if the answer to a stored delivery is lost, and GitHub sends the delivery again, it has one effect', async () => {
  const release = onFailpoint('delivery:after_store', async () => await Promise.reject(new Error('the process died')));
  const headers = { 'x-github-delivery': 'lost' };
  const lost = await w.send({ body: pushOf('main'), headers });
  release();
  expect(lost.status).toBe(500);
  const again = await w.send({ body: pushOf('main'), headers });
  expect([again.status, await hints(), await deliveries()]).toEqual([202, ['push refs/heads/main'], ['lost']]);
});

test.each([
  {
    name: 'a repository that nobody has activated',
    of: () => w.emulator.core.state.repositories.find((each) => each.name === 'asleep')?.id,
  },
  { name: 'a repository that is not listed', of: () => 999_999 },
])('a webhook of $name is received and changes nothing', async ({ of }) => {
  const answer = await w.send({ body: pushOf('main', { repository: { id: of() } }) });
  expect([answer.status, await hints()]).toEqual([202, []]);
});

test('ids of deliveries are deleted after a week', async () => {
  await w.send({ body: pushOf('main'), headers: { 'x-github-delivery': 'old' } });
  const day = 24 * 60 * 60_000;
  await forget(w.ctx.db, hostDeliveryForgetting, new Date(Date.now() + 6 * day));
  expect(await deliveries()).toEqual(['old']);
  await forget(w.ctx.db, hostDeliveryForgetting, new Date(Date.now() + 8 * day));
  expect(await deliveries()).toEqual([]);
});
