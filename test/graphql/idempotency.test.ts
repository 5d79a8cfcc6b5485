// A mutation of GraphQL under an Idempotency-Key is carried out once. A client that lost its answer asks again.
import { afterAll, beforeAll, expect, it } from 'vitest';
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
}

async function send(key: string, { paused, name = 'shop', token = s.token }: Sent) {
  const response = await fetch(`${s.url}/graphql`, {
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

it('tells the first answer again, and does nothing again', async () => {
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

it('refuses the key for another request, and leaves it to other scopes of the same user', async () => {
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

it('keeps a refusal that stays, with its error, and forgets one that asks for other permissions', async () => {
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

it('lets one of several requests at once do the work', async () => {
  const before = await pauses();
  const answers = await Promise.all([1, 2, 3].map(async () => await send('d', { paused: true })));
  expect(await pauses()).toBe(before + 1);
  const done = answers.filter(({ isReplayed, answer }) => !isReplayed && answer.errors === undefined);
  expect(done).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
});

it('must be visible ASCII', async () => {
  expect(await send('a b', { paused: true })).toMatchObject({
    status: 400,
    answer: { errors: [{ message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' }] },
  });
});
