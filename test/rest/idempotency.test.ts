// Idempotency-Key on the running service: which answers are stored, for which caller, and for how long (interface 8).
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { accountOf } from '../accounts/account.ts';
import { startUnreliableNetwork } from '../e2e/unreliable-network.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { prepareRepository } from './contract/repository.ts';

let server: TestServer;
let key: string;
let number: number;
beforeAll(async () => {
  server = await startServer();
  ({ number } = await prepareRepository(server));
});
afterAll(async () => await server.close());
beforeEach(() => {
  key = crypto.randomUUID();
});

/** The row of the key as it is if the server dies before it has an answer. */
const withoutAnswer = 'status = null, headers = null, body = null';

const web = { org: 'acme', name: 'web' };
const branches = (pattern: string, paused = true) => ({ repository: web, pattern, paused });

async function pause(body: unknown, path = '/api/v1/branches', token?: string) {
  const headers = { 'idempotency-key': key };
  const answer = await server.rest('POST', path, { body, headers, ...(token === undefined ? {} : { token }) });
  const { error, ...json } = (await answer.json()) as { error?: string };
  const retryAfter = answer.headers.get('retry-after');
  const replayed = answer.headers.get('idempotent-replayed') === 'true';
  return { status: answer.status, error, json, replayed, retryAfter };
}

const countEvents = async (): Promise<number> =>
  (await server.rows<{ n: number }>("select count(*)::int as n from event where action like 'branches_%'"))[0]?.n ?? 0;

const age = async (interval: string): Promise<unknown> =>
  await server.rows('update idempotency_key set created_at = created_at - $2::interval where key = $1', [
    key,
    interval,
  ]);

it('a repeated request gets the same answer, and acts once', async () => {
  const before = await countEvents();
  const first = await pause(branches('once'));
  expect(await pause(branches('once'))).toEqual({ ...first, replayed: true });
  expect([first.status, await countEvents()]).toEqual([200, before + 1]);
});

it('of several requests at the same moment only one acts', async () => {
  const before = await countEvents();
  const twins = await Promise.all([1, 2, 3, 4].map(async () => await pause(branches('twins'))));
  expect(await countEvents()).toBe(before + 1);
  const fresh = twins.filter(({ status, replayed }) => status === 200 && !replayed);
  expect(fresh).toHaveLength(1);
  for (const { status, error } of twins)
    if (status !== 200)
      expect([status, error]).toEqual([409, 'The first request with this Idempotency-Key is still in progress']);
});

it('another request with the same key is refused, for each part that may differ', async () => {
  await pause(branches('first'));
  for (const [body, path] of [
    [branches('second'), '/api/v1/branches'],
    [branches('first'), '/api/v1/branches?x=1'],
  ] as const) {
    const answer = await pause(body, path);
    expect([answer.status, answer.error]).toEqual([422, 'Idempotency-Key was used with another request']);
  }
});

it('the answer that something does not exist is stored', async () => {
  const refused = await pause({ ...branches('main'), repository: { org: 'acme', name: 'unknown' } });
  expect(refused).toMatchObject({ status: 404, error: 'Repository not found', replayed: false });
  const again = await pause({ ...branches('main'), repository: { org: 'acme', name: 'unknown' } });
  expect(again).toEqual({ ...refused, replayed: true });
});

it('a key is valid for one operation of one account', async () => {
  await pause(branches('mine'));
  expect(await pause({ ...web, paused: false }, '/api/v1/repo')).toMatchObject({ status: 200, replayed: false });
  const { token } = await server.otherAccount();
  expect(await pause(branches('mine'), '/api/v1/branches', token)).toMatchObject({ status: 404, replayed: false });
});

it('a key expires after a day', async () => {
  await pause(branches('aged'));
  await age('23 hours 59 minutes');
  expect((await pause(branches('aged'))).replayed).toBe(true);
  await age('2 minutes');
  expect(await pause(branches('other'))).toMatchObject({ status: 200, replayed: false });
});

it('a key belongs to one user, and the refusal of another user is not repeated', async () => {
  const account = accountOf(server);
  const member = await account.add('meg');
  const refused = await pause(branches('shared'), '/api/v1/branches', member.token);
  expect(refused).toMatchObject({ status: 403, replayed: false });
  expect(await pause(branches('shared'))).toMatchObject({ status: 200, replayed: false });
  // The answer stored for the admin is not given to the member, who is refused.
  expect(await pause(branches('shared'), '/api/v1/branches', member.token)).toEqual(refused);
});

it('a refusal for missing permissions is not stored, so a user who gets the permission can act', async () => {
  const account = accountOf(server);
  const max = await account.add('max', { role: 'maintainer', scopes: ['queue:pause'] });
  const asMax = async () => await pause(branches('later'), '/api/v1/branches', max.token);
  await account.update(max.id, { role: 'MEMBER' });
  expect((await asMax()).status).toBe(403);
  await account.update(max.id, { role: 'MAINTAINER' });
  await expect.poll(asMax).toMatchObject({ status: 200, replayed: false });
});

it('a token of the same user without the scope gets no stored answer', async () => {
  const [writing, reading] = [await server.tokenWith(['queue:pause']), await server.tokenWith(['queue:read'])];
  expect((await pause(branches('scoped'), '/api/v1/branches', writing)).status).toBe(200);
  const refused = { status: 403, error: 'This needs a token with the scope queue:pause.', replayed: false };
  for (const body of [branches('scoped'), branches('other')])
    expect(await pause(body, '/api/v1/branches', reading)).toMatchObject(refused);
  expect(await pause(branches('scoped'), '/api/v1/branches', writing)).toMatchObject({ status: 200, replayed: true });
});

it('a key of a server that died is free when the server is gone, and not before', async () => {
  const dying = await server.another();
  const post = async (url: string): Promise<number> => {
    const headers = {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    return (await fetch(`${url}/api/v1/branches`, { method: 'POST', headers, body: JSON.stringify(branches('cut')) }))
      .status;
  };
  expect(await post(dying.url)).toBe(200);
  await server.rows(`update idempotency_key set ${withoutAnswer}, commits = '{}' where key = $1`, [key]);
  await age('10 minutes');
  expect(await pause(branches('cut'))).toMatchObject({
    status: 409,
    error: 'The first request with this Idempotency-Key is still in progress',
    retryAfter: '2',
  });
  await dying.close();
  expect(await pause(branches('cut'))).toMatchObject({ status: 200, replayed: false });
  expect(await pause(branches('cut'))).toMatchObject({ status: 200, replayed: true });
});

it('a key of a server that died after the request had changed something is not carried out again', async () => {
  const dying = await server.another();
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const body = JSON.stringify(branches('changed'));
  expect((await fetch(`${dying.url}/api/v1/branches`, { method: 'POST', headers, body })).status).toBe(200);
  await server.rows(`update idempotency_key set ${withoutAnswer} where key = $1`, [key]);
  await dying.close();
  const before = await countEvents();
  for (const again of [branches('changed'), branches('changed')])
    expect(await pause(again)).toMatchObject({
      status: 409,
      error: 'The first request with this Idempotency-Key has changed something, but its answer was lost',
      retryAfter: null,
    });
  expect(await pause(branches('another'))).toMatchObject({ status: 422 });
  expect(await countEvents()).toBe(before);
  await age('24 hours');
  expect(await pause(branches('changed'))).toMatchObject({ status: 200, replayed: false });
});

it('a key of a server that died after it had read the pull request from its host is free', async () => {
  await server.rows("update local_pull_request set title = 'Another title' where number = $1", [number]);
  const post = async (): Promise<[number, unknown]> => {
    const body = { action: 'update', pull_request: { number, repository: web, affected_targets: ['web'] } };
    const answer = await server.rest('POST', '/api/v1/pull_request', { body, headers: { 'idempotency-key': key } });
    return [answer.status, await answer.json()];
  };
  const died = onFailpoint('report:judged', async () => {
    await server.rows('update idempotency_key set claimed_by = 1 where key = $1', [key]);
    throw new Error('the server died');
  });
  await post().finally(died);
  const title = 'select from pull_request where title = $1';
  expect(await server.rows(title, ['Another title'])).toHaveLength(1);
  expect(await post()).toMatchObject([200, { pull_request: { number } }]);
  expect(await server.rows('select affected_targets from pull_request where number = $1', [number])).toMatchObject([
    { affected_targets: ['web'] },
  ]);
});

it('a key whose claim was written, although the answer to it was lost, is free on the same server', async () => {
  expect((await pause(branches('lost'))).status).toBe(200);
  await server.rows(`update idempotency_key set ${withoutAnswer}, commits = '{}' where key = $1`, [key]);
  expect(await pause(branches('lost'))).toMatchObject({ status: 200, replayed: false });
  expect(await pause(branches('lost'))).toMatchObject({ status: 200, replayed: true });
});

it.each(['REST', 'GraphQL'])('a request of %s whose commit was answered to nobody acts once', async (api) => {
  await using network = await startUnreliableNetwork();
  const behind = await server.another({ databaseUrl: network.leadToDatabase(server.databaseUrl) });
  try {
    const headers = {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    const pattern = `unanswered-${api}`;
    const variables = { input: { repository: { owner: 'acme', name: 'web' }, pattern, paused: true } };
    const query = 'mutation ($input: PauseBranchesInput!) { pauseBranches(input: $input) { branchPause { pattern } } }';
    const [path, body] = api === 'REST' ? ['/api/v1/branches', branches(pattern)] : ['/graphql', { query, variables }];
    const post = async () => {
      const answer = await fetch(`${behind.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return [answer.status, answer.headers.get('idempotent-replayed'), await answer.text()];
    };
    const before = await countEvents();
    network.loseCommitOf(pattern);
    const first = await post();
    expect(first.slice(0, 2)).toEqual([200, null]);
    expect(await post()).toEqual([200, 'true', first[2]]);
    expect(await countEvents()).toBe(before + 1);
  } finally {
    await behind.close();
  }
});

it('a request changes nothing and stores no answer if another request has taken its claim over', async () => {
  const holding = new pg.Client({ connectionString: server.databaseUrl });
  await holding.connect();
  const before = await countEvents();
  await holding.query('begin');
  await holding.query("select from repository where name = 'web' for update");
  const slow = pause(branches('slow'));
  const found = async () => await server.rows('select status from idempotency_key where key = $1', [key]);
  await expect.poll(found).toEqual([{ status: null }]);
  await server.rows("update idempotency_key set claimed_by = 1, request_digest = 'another' where key = $1", [key]);
  await holding.query('commit');
  await holding.end();
  expect(await slow).toMatchObject({
    status: 409,
    error: 'Another request with this Idempotency-Key has been carried out meanwhile.',
  });
  expect(await countEvents()).toBe(before);
  expect(await found()).toEqual([{ status: null }]);
});

it('a key is not used up by bad input', async () => {
  expect((await pause({})).status).toBe(400);
  expect(await pause(branches('good'))).toMatchObject({ status: 200, replayed: false });
});
