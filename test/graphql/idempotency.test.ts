// A mutation of GraphQL with an Idempotency-Key runs once, also if a client that lost the answer sends it again.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { inMarkedScope } from '../../src/platform/database.ts';
import { openAnswerStore } from '../../src/server/idempotency.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
});
afterAll(async () => await s.close());

const pause = `mutation ($name: String!, $paused: Boolean!) {
  pauseRepository(input: {repository: {owner: "acme", name: $name}, paused: $paused}) { repository { paused } } }`;

interface Sent {
  readonly paused: boolean;
  readonly name?: string;
  readonly token?: string;
  readonly url?: string;
}

async function send(key: string, { paused, name = 'shop', token = s.token, url = s.url }: Sent) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'idempotency-key': key },
    body: JSON.stringify({ query: pause, variables: { name, paused } }),
  });
  return {
    status: response.status,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    answer: (await response.json()) as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] },
  };
}

const pauses = async () => (await s.rows(`select 1 from event where action like 'repository_%paused'`)).length;

it('a second request with the same key gets the first answer, and changes nothing', async () => {
  const first = await send('a', { paused: true });
  expect(first).toEqual({
    status: 200,
    isReplayed: false,
    answer: { data: { pauseRepository: { repository: { paused: true } } } },
  });
  await send('other', { paused: false });
  const before = await pauses();
  expect(await send('a', { paused: true })).toEqual({ ...first, isReplayed: true });
  expect(await pauses()).toBe(before);
});

it('a key is refused for another request, but a token with other scopes has keys of its own', async () => {
  expect(await send('a', { paused: false })).toMatchObject({
    status: 422,
    answer: {
      errors: [{ message: 'Idempotency-Key was used with another request.', extensions: { code: 'KEY_REUSED' } }],
    },
  });
  const poorer = await s.tokenWith(['queue:read']);
  expect(await send('a', { paused: true, token: poorer })).toMatchObject({
    isReplayed: false,
    answer: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
  });
});

it('a lasting refusal is replayed, and a refusal for missing permissions is not', async () => {
  const missing = await send('b', { paused: true, name: 'none' });
  expect(missing.answer.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  expect(await send('b', { paused: true, name: 'none' })).toEqual({ ...missing, isReplayed: true });
  const token = await s.tokenWith(['queue:read']);
  const refused = [await send('c', { paused: true, token }), await send('c', { paused: true, token })];
  expect(refused.map(({ isReplayed, answer }) => [isReplayed, answer.errors?.[0]?.extensions.code])).toEqual([
    [false, 'FORBIDDEN'],
    [false, 'FORBIDDEN'],
  ]);
});

it('a persisted query may be repeated by its hash alone, and is told apart from another one', async () => {
  const ask = async (
    query: string,
    { withText, key = 'hash' }: { readonly withText: boolean; readonly key?: string },
  ) => {
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const response = await fetch(`${s.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}`, 'idempotency-key': key },
      body: JSON.stringify({
        extensions: { persistedQuery: { version: 1, sha256Hash } },
        variables: { name: 'shop', paused: true },
        ...(withText && { query }),
      }),
    });
    const { data, errors } = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
    return [response.headers.get('idempotent-replayed'), data ?? errors?.map(({ extensions }) => extensions.code)];
  };
  const answer = { pauseRepository: { repository: { paused: true } } };
  expect(await ask(pause, { withText: false })).toEqual([null, ['PERSISTED_QUERY_NOT_FOUND']]);
  expect(await ask(pause, { withText: true })).toEqual([null, answer]);
  expect(await ask(pause, { withText: false })).toEqual(['true', answer]);
  const longer = `${pause} `;
  expect(await ask(longer, { withText: true, key: 'of-another-query' })).toEqual([null, answer]);
  expect(await ask(longer, { withText: false })).toEqual([null, ['KEY_REUSED']]);
  await send('not-paused', { paused: false });
});

it('only one of several requests at once does the work', async () => {
  const before = await pauses();
  const answers = await Promise.all([1, 2, 3].map(async () => await send('d', { paused: true })));
  expect(await pauses()).toBe(before + 1);
  const done = answers.filter(({ isReplayed, answer }) => !isReplayed && answer.errors === undefined);
  expect(done).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
});

describe('a mutation that the rate limit refuses', () => {
  let limited: TestServer;
  let now = Date.now();
  beforeAll(async () => {
    limited = await startServer({ clock: () => new Date(now), rateLimit: { perSecond: 1, burst: 40 } });
  });
  afterAll(async () => await limited.close());

  const sendAgain = async () =>
    await fetch(`${limited.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${limited.token}`,
        'idempotency-key': 'refused',
      },
      body: JSON.stringify({ query: costly }),
    });
  const alias = (n: number) =>
    `a${n}: createRepository(input: {owner: "acme", name: "a${n}", host: LOCAL}) { repository { id } }`;
  const costly = `mutation { ${Array.from({ length: 8 }, (_, n) => alias(n)).join(' ')} }`;

  it('leaves its key free, so that it is carried out when it is sent again', async () => {
    while ((await limited.graphql('{ viewer { email } }')).status === 200);
    now += 2_000;
    const refused = await sendAgain();
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    ]);
    now += 60_000;
    const done = await sendAgain();
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { data: { a0: { repository: { id: expect.any(String) } } } },
    ]);
  });
});

it('a repetition is told when to come again while the first request is in progress at another server', async () => {
  const other = await s.another();
  await send('f', { paused: true, url: other.url });
  await s.rows("update idempotency_key set status = null, headers = null, body = null where key = 'f'");
  const response = await fetch(`${s.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}`, 'idempotency-key': 'f' },
    body: JSON.stringify({ query: pause, variables: { name: 'shop', paused: true } }),
  });
  await other.close();
  expect([response.status, response.headers.get('retry-after')]).toEqual([409, '2']);
});

it('the key of an answer that the database refuses is no longer in progress, at any server', async () => {
  const [user] = await s.rows<{ id: string }>('select min(id)::text as id from account_user where account_id = $1', [
    s.accountId,
  ]);
  const [store, other] = [await openAnswerStore(s.ports), await openAnswerStore(s.ports)];
  const refused = { status: 200, headers: {}, body: '\u0000' };
  const repeat = async (operation: string, work: () => Promise<unknown>): Promise<unknown> => {
    const key = { accountId: s.accountId, userId: user?.id ?? '', operation, key: 'g', fingerprint: 'g' };
    expect(await store.claim(key)).toEqual({ kind: 'First' });
    await inMarkedScope(store.marksOf(key), work);
    await expect(store.conclude(key, refused)).rejects.toThrow('invalid byte sequence');
    return [await other.claim(key), await store.claim(key)];
  };
  const rename = async (): Promise<unknown> =>
    await s.ports.db.transaction(
      s.accountId,
      async (tx) => await tx.query('update account set name = name where id = $1', [s.accountId]),
    );
  expect([await repeat('change', rename), await repeat('no change', async () => {})]).toEqual([
    [{ kind: 'AnswerLost' }, { kind: 'AnswerLost' }],
    [{ kind: 'First' }, { kind: 'InProgress' }],
  ]);
  await Promise.all([store.close(), other.close()]);
});

it('a creation of a repository whose server died is completed by its repetition', async () => {
  const create = async (): Promise<unknown> => {
    const query =
      'mutation { createRepository(input: {owner: "acme", name: "new", host: LOCAL}) { repository { active } } }';
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${s.token}`,
      'idempotency-key': 'create',
    };
    return await (await fetch(`${s.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
  };
  const host = s.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
  const { ensureRepository } = host;
  host.ensureRepository = async (...of) => {
    await ensureRepository(...of);
    await s.rows("update idempotency_key set claimed_by = 1 where key = 'create'");
    throw new Error('the server died');
  };
  await create().finally(() => void (host.ensureRepository = ensureRepository));
  expect(await create()).toEqual({ data: { createRepository: { repository: { active: true } } } });
});

it('a key must be visible ASCII', async () => {
  expect(await send('a b', { paused: true })).toMatchObject({
    status: 400,
    answer: { errors: [{ message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' }] },
  });
});
