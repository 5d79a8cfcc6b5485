// One event reaches many sockets. Sockets that ask for the same get a result that is made once, each under the id of its
// own operation.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import { countOpenStreams } from '../support/event-streams.ts';
import { openRawSocket, type RawSocket } from '../support/raw-socket.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

let written = 0;
/** Writes events with the next numbers, and returns these numbers. */
async function write(count: number, padding = ''): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, at) => written + 1 + at);
  written += count;
  await s.ports.db.transaction(s.accountId, async (tx) => {
    const events = numbers.map((n) => ({ repositoryId: null, action: 'test', payload: { n, padding } }));
    await appendEvents(systemContext(s.ports, s.accountId), tx, events);
  });
  return numbers;
}

const query = 'subscription ($after: String) { events(after: $after) { cursor action payload } }';
type Next = { readonly data: { readonly events: { readonly action: string; readonly payload: { n: number } } } };

function subscribe(raw: RawSocket, id: string, after?: string): void {
  raw.send({ type: 'subscribe', id, payload: { query, variables: after === undefined ? {} : { after } } });
}

/** The numbers of the events that an operation has received. */
function numbersOf({ messages }: RawSocket, id: string): number[] {
  return messages.flatMap((message) => {
    if (message.type !== 'next' || message.id !== id) return [];
    const { action, payload } = (message.payload as Next).data.events;
    return action === 'test' ? [payload.n] : [];
  });
}

async function untilNumbers(raw: RawSocket, id: string, count: number): Promise<number[]> {
  await expect.poll(() => numbersOf(raw, id).length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(count);
  return numbersOf(raw, id);
}

/** Resolves when the server has no streams but these. */
async function untilOpen(count: number): Promise<void> {
  await expect.poll(() => countOpenStreams(s.url), { timeout: 60_000, interval: 5 }).toBe(count);
}

/** Everything the server sent on this socket before it answered this query has arrived. */
async function flushed(raw: RawSocket): Promise<void> {
  raw.send({ type: 'subscribe', id: 'flush', payload: { query: '{ viewer { email } }' } });
  await expect.poll(() => raw.messages.some(({ id }) => id === 'flush'), { timeout: 60_000, interval: 5 }).toBe(true);
}

beforeEach(async () => await untilOpen(0));

it('each socket gets each event once, in order, under its own id', async () => {
  using stack = new DisposableStack();
  const sockets: RawSocket[] = [];
  // The last id has characters that JSON escapes.
  const ids = ['1', '1', 'c0ffee', '"\\\n'];
  for (const id of ids) {
    const raw = stack.use(await openRawSocket(s.url, { token: s.token }));
    sockets.push(raw);
    subscribe(raw, id);
  }
  await untilOpen(ids.length);
  const numbers = [...(await write(30)), ...(await write(1)), ...(await write(30))];
  for (const [at, raw] of sockets.entries()) {
    const id = ids[at] ?? '';
    expect(await untilNumbers(raw, id, numbers.length)).toEqual(numbers);
    await flushed(raw);
    expect(raw.messages.filter((message) => message.type === 'next' && message.id !== 'flush')).toHaveLength(
      numbers.length,
    );
  }
});

it('a subscription that the client completes between two events gets no more, and its id can be used again', async () => {
  using leaving = await openRawSocket(s.url, { token: s.token });
  using staying = await openRawSocket(s.url, { token: s.token });
  subscribe(leaving, 'a');
  subscribe(staying, 'a');
  await untilOpen(2);
  const before = await write(1);
  expect(await untilNumbers(leaving, 'a', 1)).toEqual(before);
  leaving.send({ type: 'complete', id: 'a' });
  await untilOpen(1);
  await write(1);
  await untilNumbers(staying, 'a', 2);
  subscribe(leaving, 'a');
  await untilOpen(2);
  const after = await write(1);
  expect(await untilNumbers(leaving, 'a', 2)).toEqual([...before, ...after]);
  await flushed(leaving);
  expect(leaving.messages.filter(({ type, id }) => type === 'complete' && id === 'a')).toEqual([]);
});

it('two subscriptions of one socket get the same events, and one that ends does not end the other', async () => {
  using raw = await openRawSocket(s.url, { token: s.token });
  subscribe(raw, 'a');
  subscribe(raw, 'b');
  await untilOpen(2);
  const both = await write(3);
  expect(await untilNumbers(raw, 'a', 3)).toEqual(both);
  expect(await untilNumbers(raw, 'b', 3)).toEqual(both);
  raw.send({ type: 'complete', id: 'a' });
  await untilOpen(1);
  const late = await write(2);
  expect(await untilNumbers(raw, 'b', 5)).toEqual([...both, ...late]);
  expect(numbersOf(raw, 'a')).toEqual(both);
});

it('sockets that are closed while events are sent keep them from no other', async () => {
  using stack = new DisposableStack();
  const sockets: RawSocket[] = [];
  for (let n = 0; n < 12; n += 1) {
    const raw = stack.use(await openRawSocket(s.url, { token: s.token }));
    sockets.push(raw);
    subscribe(raw, '1');
  }
  await untilOpen(sockets.length);
  const [closing, staying] = [sockets.filter((_, at) => at % 2 === 0), sockets.filter((_, at) => at % 2 === 1)];
  for (const raw of closing) raw.socket.once('message', () => raw.socket.terminate());
  const numbers: number[] = [];
  for (let n = 0; n < 20; n += 1) numbers.push(...(await write(5)));
  for (const raw of staying) expect(await untilNumbers(raw, '1', numbers.length)).toEqual(numbers);
  await untilOpen(staying.length);
});

it('a subscription after a cursor gets the old events and then the new ones, while others follow live', async () => {
  const after = await head();
  const old = await write(1_200);
  await head();
  using live = await openRawSocket(s.url, { token: s.token });
  using late = await openRawSocket(s.url, { token: s.token });
  subscribe(live, '1');
  await untilOpen(1);
  const writing = (async () => {
    const numbers: number[] = [];
    for (let n = 0; n < 40; n += 1) numbers.push(...(await write(5)));
    return numbers;
  })();
  subscribe(late, '2', after);
  const fresh = await writing;
  expect(await untilNumbers(live, '1', fresh.length)).toEqual(fresh);
  expect(await untilNumbers(late, '2', old.length + fresh.length)).toEqual([...old, ...fresh]);
});

it('a client that does not read for a while delays no other, and gets what it has missed in order', async () => {
  using slow = await openRawSocket(s.url, { token: s.token });
  using quick = await openRawSocket(s.url, { token: s.token });
  subscribe(slow, '1');
  subscribe(quick, '1');
  await untilOpen(2);
  slow.socket.pause();
  // More than the kernel buffers for a socket, so that messages wait in the server.
  const padding = 'x'.repeat(200_000);
  const numbers: number[] = [];
  for (let n = 0; n < 100; n += 1) numbers.push(...(await write(1, padding)));
  expect(await untilNumbers(quick, '1', numbers.length)).toEqual(numbers);
  expect(numbersOf(slow, '1').length).toBeLessThan(numbers.length);
  slow.socket.resume();
  expect(await untilNumbers(slow, '1', numbers.length)).toEqual(numbers);
});

/** The cursor of now. Every event so far has its position. */
async function head(): Promise<string> {
  await expect
    .poll(async () => await s.rows('select 1 from event where position is null'), { interval: 5, timeout: 60_000 })
    .toEqual([]);
  const { data } = await s.graphql<{ cursor: string }>('{ cursor }');
  return data.cursor;
}
