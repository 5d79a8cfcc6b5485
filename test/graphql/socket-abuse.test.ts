// Abuse of graphql-ws by a client that sends anything. After each case, a subscriber that behaves well gets the next
// event, nothing of the socket is left, and neither the log nor the console has an error.
import { connect as connectTcp, type Socket } from 'node:net';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { appendEvents } from '../../src/modules/events/index.ts';
import { countOpenStreams } from '../support/event-streams.ts';
import { follow, started, type Followed } from '../support/follow.ts';
import { openRawSocket, type RawSocket } from '../support/raw-socket.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { limits, socketAbuses, subscribe } from './socket-abuse.table.ts';
import { socketDocuments } from './socket-documents.table.ts';

let s: TestServer;
let token: string;
let behaved: Followed<{ readonly payload: { readonly n?: number } }>;
const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
const consoleError = vi.spyOn(console, 'error');

beforeAll(async () => {
  s = await startServer({ socketLimits: limits, log });
  token = await s.tokenWith(['queue:read']);
  behaved = follow({ url: s.url, token: s.token }, 'subscription { events { payload } }');
});
afterAll(async () => {
  await behaved[Symbol.asyncDispose]();
  await s.close();
  consoleError.mockRestore();
});

let written = 0;
beforeEach(async () => {
  await started(behaved);
  lines.splice(0);
});
afterEach(async () => await expectUnharmed());

async function expectUnharmed(): Promise<void> {
  await expect.poll(() => countOpenStreams(s.url), { timeout: 60_000, interval: 5 }).toBe(1);
  written += 1;
  const ctx = systemContext(s.ports, s.accountId);
  await s.ports.db.transaction(s.accountId, async (tx) => {
    await appendEvents(ctx, tx, [{ repositoryId: null, action: 'test', payload: { n: written } }]);
  });
  await expect.poll(() => behaved.payloads.at(-1)?.payload.n, { timeout: 60_000, interval: 5 }).toBe(written);
  expect(behaved.errors).toEqual([]);
  expect(lines).toEqual([]);
  expect(consoleError).not.toHaveBeenCalled();
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
}

/** A signed-in socket gets an answer to a query. The ids of its other operations do not matter. */
async function expectServed(raw: RawSocket): Promise<void> {
  const before = raw.messages.length;
  raw.send(subscribe('served', '{ viewer { email } }'));
  expect((await raw.until(before + 2)).slice(before)).toMatchObject([
    { type: 'next', id: 'served', payload: { data: { viewer: { email: 'service@acme.test' } } } },
    { type: 'complete', id: 'served' },
  ]);
}

/** What a client sees whose connection ends without a close frame. */
const lost = [1006, ''] as const;

describe('a socket', () => {
  it.each([...socketAbuses, ...socketDocuments])(
    '$title',
    async ({ signsIn = true, subprotocol, sends, closes, mayLoseReason, answers }) => {
      using raw = await openRawSocket(s.url, {
        ...(subprotocol !== undefined && { subprotocol }),
        ...(signsIn && { token }),
      });
      const before = raw.messages.length;
      for (const each of sends) {
        if (typeof each === 'function') each(raw);
        else raw.send(each);
      }
      if (closes) return expect([closes, ...(mayLoseReason ? [lost] : [])]).toContainEqual(await raw.closed);
      const expected = answers ?? [];
      expect((await raw.until(before + expected.length)).slice(before)).toMatchObject(expected);
      if (signsIn && !JSON.stringify(expected).includes('RATE_LIMITED')) await expectServed(raw);
      expect(raw.socket.readyState).toBe(raw.socket.OPEN);
      expect(JSON.stringify(raw.messages)).not.toMatch(/node_modules|\.ts:|\.js:/);
    },
  );
});

describe('an account', () => {
  it('may have so many sockets at a server, and another account is not affected', async () => {
    using stack = new DisposableStack();
    // The subscriber that behaves well has a socket too.
    for (let n = 1; n < limits.ofAccount; n += 1) stack.use(await openRawSocket(s.url, { token }));
    using refused = await openRawSocket(s.url);
    refused.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
    expect(await refused.closed).toEqual([
      4429,
      `Too many sockets of this account are open at this server: at most ${limits.ofAccount}`,
    ]);
    expect(refused.messages).toEqual([]);
    const other = await s.otherAccount();
    using theirs = await openRawSocket(s.url, { token: other.token });
    expect(theirs.messages).toEqual([{ type: 'connection_ack' }]);
  });

  it('can open a socket again after one of its sockets was closed', async () => {
    const all: RawSocket[] = [];
    for (let n = 1; n < limits.ofAccount; n += 1) all.push(await openRawSocket(s.url, { token }));
    for (const raw of all) {
      raw[Symbol.dispose]();
      await raw.closed;
    }
    await expect.poll(async () => await acknowledged(), { timeout: 60_000 }).toEqual([{ type: 'connection_ack' }]);
  });
});

describe('an address', () => {
  it('may have so many sockets that have not signed in, and those that have do not count', async () => {
    using stack = new DisposableStack();
    for (let n = 0; n < 3; n += 1) stack.use(await openRawSocket(s.url, { token }));
    for (let n = 0; n < limits.ofAddress; n += 1) stack.use(await openRawSocket(s.url));
    await expect(openRawSocket(s.url)).rejects.toThrow('Unexpected server response: 429');
  });

  it('can open sockets again after it closed some', async () => {
    await expect
      .poll(async () => await openRawSocket(s.url).then((raw) => raw[Symbol.dispose](), String), { timeout: 60_000 })
      .toBeUndefined();
  });
});

describe('a client that disappears', () => {
  it('while it signs in leaves no socket behind', async () => {
    // More sockets than the account may have.
    for (let n = 0; n < 2 * limits.ofAccount; n += 1) {
      using raw = await openRawSocket(s.url);
      raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }, subscribe('1'));
      raw.socket.terminate();
      await raw.closed;
    }
    await expect.poll(async () => await acknowledged(), { timeout: 60_000 }).toEqual([{ type: 'connection_ack' }]);
  });

  it('while its subscriptions run leaves none of them behind', async () => {
    using raw = await openRawSocket(s.url, { token });
    raw.send(...['a', 'b', 'c'].map((id) => subscribe(id)));
    await expect.poll(() => countOpenStreams(s.url), { timeout: 60_000, interval: 5 }).toBe(4);
    raw.socket.terminate();
  });

  it.each(['/graphql', '/nothing', '//', '/graphql//', 'http://[/graphql'])(
    'after an upgrade of %s does not end the server',
    async (target) => {
      const stream = await upgrade(target);
      stream.resetAndDestroy();
      const answer = await fetch(`${s.url}/healthz`);
      expect(answer.status).toBe(200);
    },
  );

  it('is disconnected after an upgrade that is refused, even if it keeps its side open', async () => {
    const stream = await upgrade('//');
    let answer = '';
    stream.on('data', (part: Buffer) => {
      answer += part.toString();
    });
    await once(stream, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    // The server has closed both directions, so what is written now is answered by a reset.
    const failed = once(stream, 'error');
    const writing = setInterval(() => stream.write('x'), 5);
    await failed.finally(() => clearInterval(writing));
  });
});

async function acknowledged(): Promise<unknown> {
  using raw = await openRawSocket(s.url);
  raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
  return await Promise.race([raw.until(1), raw.closed]);
}

/** Sends an upgrade request below any client, which would refuse some targets. */
async function upgrade(target: string): Promise<Socket> {
  const { hostname, port } = new URL(s.url);
  const stream = connectTcp({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(stream, 'connect');
  stream.write(
    `GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  return stream;
}
