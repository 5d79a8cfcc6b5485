// The gateway of a worker: which requests get in, where they go, and until when.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '../../src/context.ts';
import { generateSecrets } from '../../src/modules/accounts/index.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { createVerifying, previewOptionsFrom } from '../../src/previews.ts';
import { parseGatewayAddress, openPreviewGateway, type PreviewGateway } from '../../src/platform/previews/index.ts';
import { requestThrough } from '../../src/platform/previews/gateway.ts';

let app: Server;
let gateway: PreviewGateway;
let at: string;
beforeEach(async () => {
  app = createServer((incoming, response) => response.end(`${incoming.method} ${incoming.url}`));
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  at = `tcp:127.0.0.1:${(app.address() as AddressInfo).port}`;
  // Another address of this machine plays another machine.
  gateway = await openPreviewGateway({ host: '127.0.0.2', port: 0 });
});
afterEach(async () => {
  await gateway.close();
  app.closeAllConnections();
  app.close();
});

async function ask(route: { readonly address: string; readonly key: string }): Promise<string> {
  const [answer] = (await once(
    requestThrough(route, { path: '/cart', headers: { host: 'app' } }).end(),
    'response',
  )) as [IncomingMessage];
  return await text(answer);
}

it('a route leads to the app of its key, on an address of the gateway', async () => {
  const route = gateway.open(at);
  expect(route.address).toMatch(/^tcp:127\.0\.0\.2:\d+$/);
  expect(Buffer.from(route.key, 'base64url')).toHaveLength(32);
  expect(await ask(route)).toBe('GET /cart');
});

it('a route passes many bytes in both directions completely, also if the app closes its side first', async () => {
  const much = randomBytes(8 * 1024 ** 2);
  app.removeAllListeners('request').on('request', (incoming, response) => incoming.pipe(response));
  const sent = requestThrough(gateway.open(at), { method: 'POST', headers: { host: 'app' } }).end(much);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect((await buffer(answer)).equals(much)).toBe(true);

  const early = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.end('HTTP/1.1 200 OK\r\n\r\nfirst and last');
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(early, 'listening');
  expect(await ask(gateway.open(`tcp:127.0.0.1:${(early.address() as AddressInfo).port}`))).toBe('first and last');
  early.close();
});

it('a request without a key, with an invented key, or with the key of a closed route is refused', async () => {
  const route = gateway.open(at);
  const other = gateway.open(at);
  other.close();
  for (const key of ['', 'x', other.key]) await expect(ask({ ...route, key })).rejects.toThrow('answers 407');
  expect(await ask(route)).toBe('GET /cart');
});

it('the gateway answers only CONNECT, and never connects to an address that the caller names', async () => {
  const route = gateway.open(at);
  const [, host, port] = /^tcp:(.+):(\d+)$/.exec(route.address) ?? [];
  const get = request({ host, port, path: 'http://127.0.0.1/', agent: false }).end();
  const [refused] = (await once(get, 'response')) as [IncomingMessage];
  expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'CONNECT']);
  refused.resume();

  let came = 0;
  const elsewhere = createTcpServer((socket) => {
    came += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const named = request({
    host,
    port,
    method: 'CONNECT',
    path: `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`,
    headers: { 'proxy-authorization': `Bearer ${route.key}` },
    agent: false,
  }).end();
  const [answer, socket] = (await once(named, 'connect')) as [IncomingMessage, Socket];
  expect(answer.statusCode).toBe(200);
  socket.end('GET /who HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(await text(socket)).toContain('GET /who');
  expect(came).toBe(0);
  elsewhere.close();
});

it('a route answers 502 if the app takes no connection, and its open connections end when it is closed', async () => {
  await expect(ask(gateway.open('unix:/nowhere/app'))).rejects.toThrow('answers 502');

  const route = gateway.open(at);
  app.removeAllListeners('request').on('request', () => route.close());
  await expect(ask(route)).rejects.toThrow(/hang up|ECONNRESET/);
});

it('all connections end with the gateway', async () => {
  const route = gateway.open(at);
  app.removeAllListeners('request');
  const heard = once(app, 'request');
  const asking = ask(route);
  asking.catch(() => {});
  await heard;
  const idle = connect({ host: '127.0.0.2', port: Number(route.address.split(':').at(-1)) });
  await once(idle, 'connect');
  const idleEnds = once(idle, 'close');
  await gateway.close();
  await expect(asking).rejects.toThrow(/hang up|ECONNRESET/);
  await idleEnds;
});

describe('PREVIEW_ADDRESS', () => {
  it.each([
    ['10.0.0.7', { host: '10.0.0.7', port: 0 }],
    ['10.0.0.7:4100', { host: '10.0.0.7', port: 4100 }],
    ['worker-1.internal:4100', { host: 'worker-1.internal', port: 4100 }],
    ['[fd00::7]:4100', { host: 'fd00::7', port: 4100 }],
    ['[10.0.0.7]:4100', { host: '10.0.0.7', port: 4100 }],
    ['[0.0.0.0]:4100', null],
    ['0.0.0.0:4100', null],
    ['[::]:4100', null],
    ['[nonsense]:1', null],
    ['fd00::7', null],
    ['10.0.0.7:99999', null],
    ['http://10.0.0.7', null],
    ['', null],
  ])('is read: %s as %j', (written, place) => {
    expect(parseGatewayAddress(written)).toEqual(place);
  });

  it('is refused with a message if it is not an address of this machine, or if nothing can listen there', async () => {
    expect(() => previewOptionsFrom({ PREVIEW_ADDRESS: '0.0.0.0' }, null)).toThrow(
      'PREVIEW_ADDRESS is 0.0.0.0: write the address by which servers reach this machine',
    );
    const taken = { host: '127.0.0.2', port: Number(gateway.open(at).address.split(':').at(-1)) };
    const parts = {
      ports: { publicUrl: 'http://localhost:4000', clock: () => new Date() } as Ports,
      secrets: generateSecrets(),
      http: createHttpOut({ allowPrivateAddresses: true }),
    };
    const options = { browserPath: null, imageDirectories: [], model: null, sandbox: null };
    await expect(createVerifying(parts.ports, { ...parts, ...options, gateway: taken })).rejects.toThrow(
      /^Previews cannot be reached at 127\.0\.0\.2, port \d+: .*EADDRINUSE.* PREVIEW_ADDRESS must name an address/,
    );
    parts.http.close();
  });
});
