// Tries wrong tokens. After some of them, the client address must wait at every interface, but requests with known
// tokens are answered.
import { once } from 'node:events';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { usualSocketLimits } from '../../src/graphql/socket-limits.ts';
import { readTrustedProxies } from '../../src/server/client-address.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
let now = new Date();
beforeAll(async () => {
  s = await startServer({ clock: () => now });
});
afterAll(async () => await s.close());

const list = '/api/v1/repo';
const statusOf = async (path: string, authorization: string, from: string | null = null): Promise<number> => {
  const headers = { authorization, ...(from !== null && { 'x-forwarded-for': from }) };
  const response = await fetch(`${s.url}${path}`, { headers });
  await response.arrayBuffer();
  return response.status;
};
const bearer = (token: string): string => `Bearer ${token}`;
const guess = (n: number): string => `il_live_${String(n).padStart(80, 'x')}`;

it('a client address that sends wrong tokens is refused for a minute on every interface, and known tokens still work', async () => {
  expect(await statusOf(list, bearer(s.token))).toBe(200);
  const other = await s.tokenWith(['queue:read']);
  const answers: number[] = [];
  // A page that needs no token gives an address no credit.
  for (let n = 0; n < 70; n += 1) {
    expect([200, 429]).toContain(await statusOf('/healthz', bearer(guess(n))));
    // The server trusts no proxy, so it ignores the address that a client gives.
    answers.push(await statusOf(list, bearer(guess(n)), `192.0.2.${n}`));
  }
  expect(answers.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
  expect(answers.slice(60)).toEqual(Array.from({ length: 10 }, () => 429));

  const basic = `Basic ${Buffer.from(`x:${guess(1)}`).toString('base64')}`;
  const refused = await fetch(`${s.url}${list}`, { headers: { authorization: bearer(guess(99)) } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toEqual({ error: expect.stringContaining('Too many wrong tokens') });
  expect(await statusOf('/git/acme/shop.git/info/refs?service=git-upload-pack', basic)).toBe(429);
  expect(await statusOf('/runbooks/1', basic)).toBe(429);
  expect((await s.graphql('{ viewer { email } }', {}, guess(1))).status).toBe(429);
  expect(await closingOf(guess(1))).toBe(4429);

  // A token that the server knew before still works. A token that it has not seen yet must wait too.
  expect(await statusOf(list, bearer(s.token))).toBe(200);
  expect(await statusOf(list, bearer(other))).toBe(429);
  now = new Date(now.getTime() + 61_000);
  expect(await statusOf(list, bearer(other))).toBe(200);
  expect(await statusOf(list, bearer(guess(1)))).toBe(401);
});

it('behind a trusted proxy each client is counted by itself, on every interface', async () => {
  await using behind = await startBehindProxy();
  const statusFrom = async (from: string): Promise<number> => {
    const headers = { authorization: bearer(guess(1)), 'x-forwarded-for': from };
    return (await fetch(`${behind.url}${list}`, { headers })).status;
  };
  const guesser = '192.0.2.1';
  // The text that the client sent stands before the address that the proxy added.
  for (let n = 0; n < 60; n += 1) expect(await statusFrom(`198.51.100.${n}, ${guesser}`)).toBe(401);
  expect(await statusFrom(guesser)).toBe(429);
  expect(await closingOf(guess(1), { url: behind.url, from: guesser })).toBe(4429);
  expect(await statusFrom('192.0.2.2')).toBe(401);
  expect(await closingOf(guess(1), { url: behind.url, from: '192.0.2.2' })).toBe(4401);
});

it('addresses of one IPv6 network are counted together, and an IPv4 address that is written as IPv6 is itself', async () => {
  await using behind = await startBehindProxy();
  const statusFrom = async (from: string): Promise<number> => {
    const headers = { authorization: bearer(guess(1)), 'x-forwarded-for': from };
    return (await fetch(`${behind.url}${list}`, { headers })).status;
  };
  for (let n = 0; n < 60; n += 1) expect(await statusFrom(`2001:db8:0:1::${n.toString(16)}`)).toBe(401);
  expect(await statusFrom('2001:0DB8:0:1:ffff:0:0:1')).toBe(429);
  expect(await closingOf(guess(1), { url: behind.url, from: '2001:db8:0:1::ffff' })).toBe(4429);
  expect(await statusFrom('2001:db8:0:2::1')).toBe(401);
  for (let n = 0; n < 60; n += 1) expect(await statusFrom('::ffff:192.0.2.1')).toBe(401);
  expect(await statusFrom('::ffff:192.0.2.1')).toBe(429);
  expect(await statusFrom('::ffff:192.0.2.2')).toBe(401);
});

it('sockets that have not signed in are counted together if they come from one IPv6 network', async () => {
  await using behind = await startBehindProxy({ ...usualSocketLimits, ofAddress: 2 });
  const open = async (from: string): Promise<WebSocket> => {
    const headers = { 'x-forwarded-for': from };
    const socket = new WebSocket(behind.url.replace(/^http/, 'ws') + '/graphql', 'graphql-transport-ws', { headers });
    await once(socket, 'open');
    return socket;
  };
  const sockets = [await open('2001:db8::1'), await open('2001:db8::2')];
  await expect(open('2001:db8::3')).rejects.toThrow('429');
  sockets.push(await open('2001:db8:0:1::1'));
  for (const socket of sockets) socket.terminate();
});

async function startBehindProxy(socketLimits = usualSocketLimits): Promise<TestServer & AsyncDisposable> {
  const trustsProxy = readTrustedProxies('127.0.0.0/8') ?? (() => false);
  const server = await startServer({ trustsProxy, socketLimits });
  return Object.assign(server, { [Symbol.asyncDispose]: async () => await server.close() });
}

async function closingOf(token: string, at: { url: string; from?: string } = s): Promise<number> {
  class Socket extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { headers: at.from === undefined ? {} : { 'x-forwarded-for': at.from } });
    }
  }
  return await new Promise((resolve) => {
    const client = createClient({
      url: at.url.replace(/^http/, 'ws') + '/graphql',
      webSocketImpl: Socket,
      connectionParams: { Authorization: bearer(token) },
      retryAttempts: 0,
      lazy: false,
      onNonLazyError: () => {},
    });
    client.on('closed', (event) => resolve((event as CloseEvent).code));
  });
}
