import { once } from 'node:events';
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openPreviewGateway, type PreviewGateway } from '../../src/platform/previews/index.ts';
import { createPreviewProxy, type PreviewProxy, type ProxiedPreview } from '../../src/server/preview-proxy.ts';

const host = 'k3v.preview.localhost:4000';
const token = `il_live_${'a'.repeat(80)}`;

let folder: string;
let app: Server;
let handle: (request: IncomingMessage, response: ServerResponse) => unknown;
let server: Server;
let gateway: PreviewGateway;
let route: ReturnType<PreviewGateway['open']>;
let proxy: PreviewProxy;
let rows: Map<string, ProxiedPreview>;
let now: Date;
let reads: number;
let found: Promise<void>;
const inAnHour = (): Date => new Date(now.getTime() + 3_600_000);

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'il-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  now = new Date();
  reads = 0;
  found = Promise.resolve();
  app = createServer((incoming, response) => void handle(incoming, response));
  app.listen(join(folder, 'app'));
  await once(app, 'listening');
  gateway = await openPreviewGateway();
  route = gateway.open(`unix:${join(folder, 'app')}`);
  rows = new Map([['k3v', { state: 'ready', route, expiresAt: inAnHour() }]]);
  proxy = createPreviewProxy({
    publicUrl: 'http://localhost:4000',
    find: async (slug) => {
      reads += 1;
      await found;
      return rows.get(slug) ?? null;
    },
    clock: () => now,
    log: pino({ level: 'silent' }),
    limits: { bodyBytes: 1_000, silenceMs: 1_500, atOnce: 2, knownMs: 0 },
  });
  server = createServer((incoming, response) => proxy.serve(incoming, response));
  server.on('upgrade', (incoming, socket, head) => proxy.upgrade(incoming, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  proxy.close();
  await gateway.close();
  for (const one of [server, app]) {
    one.closeAllConnections();
    one.close();
  }
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(
  options: Omit<RequestOptions, 'headers'> & { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return await new Promise((resolve, reject) => {
    const { headers, body, ...more } = options;
    const sent = request({ host: '127.0.0.1', port, ...more, headers: { host, ...headers } }, (response) => {
      text(response).then(
        (said) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

it('the proxy passes method, path, body and headers on, and the answer back unchanged', async () => {
  handle = async (incoming, response) => {
    const seen = { method: incoming.method, url: incoming.url, headers: incoming.headers, body: await text(incoming) };
    response.writeHead(
      207,
      'Several',
      [
        ['x-made', '1'],
        ['x-made', '2'],
        ['content-type', 'text/plain'],
      ].flat(),
    );
    response.end(JSON.stringify(seen));
  };
  const answer = await ask({
    method: 'PATCH',
    path: '/graphql?a=%20b',
    body: 'bread',
    headers: { cookie: 'a=1', authorization: 'Basic eDp5', 'x-forwarded-for': '10.1.2.3', 'x-forwarded-host': 'evil' },
  });
  expect(answer).toMatchObject({
    status: 207,
    headers: { 'x-made': '1, 2', 'x-robots-tag': 'noindex', 'referrer-policy': 'same-origin' },
  });
  expect(JSON.parse(answer.body)).toMatchObject({
    method: 'PATCH',
    url: '/graphql?a=%20b',
    body: 'bread',
    headers: {
      host,
      cookie: 'a=1',
      authorization: 'Basic eDp5',
      'x-forwarded-for': '10.1.2.3, 127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'http',
    },
  });
});

it('a body in pieces arrives whole with any method', async () => {
  handle = async (incoming, response) => response.end(await text(incoming));
  expect(await ask({ method: 'DELETE', headers: { 'transfer-encoding': 'chunked' }, body: 'bread' })).toMatchObject({
    status: 200,
    body: 'bread',
  });
});

it('headers of a single connection are not passed on, in both directions', async () => {
  handle = (incoming, response) => {
    response.writeHead(200, {
      connection: 'x-secret, close',
      'x-secret': '1',
      'keep-alive': 'timeout=9',
      trailer: 'x',
    });
    response.end(JSON.stringify(Object.keys(incoming.headers)));
  };
  const answer = await ask({
    headers: { connection: 'x-hop', 'x-hop': '1', te: 'trailers', 'proxy-authorization': 'Basic eDp5' },
  });
  expect(answer.headers).not.toHaveProperty('x-secret');
  expect(answer.headers).not.toHaveProperty('trailer');
  for (const name of ['x-hop', 'te', 'proxy-authorization']) expect(JSON.parse(answer.body)).not.toContain(name);
});

it('a body keeps its length, although the header Connection lists content-length', async () => {
  handle = (incoming, response) => response.end(`${incoming.url} ${incoming.headers['content-length']}`);
  const hidden = 'GET /hidden HTTP/1.1\r\n\r\n';
  const headers = { connection: 'content-length', 'content-length': String(hidden.length) };
  expect((await ask({ path: '/seen', headers, body: hidden })).body).toBe(`/seen ${hidden.length}`);
});

it('a token of Interlock is not passed to an app, and an app cannot set cookies for parent domains', async () => {
  handle = (incoming, response) => {
    response.setHeader('set-cookie', [
      'a=1; Domain=localhost; Path=/',
      'b=2;domain=.preview.localhost',
      'c=3; HttpOnly',
    ]);
    response.end(incoming.headers.authorization ?? 'none');
  };
  const answer = await ask({ headers: { authorization: `Bearer ${token}` } });
  expect(answer.body).toBe('none');
  expect(answer.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2', 'c=3; HttpOnly']);
  const asGit = `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;
  expect((await ask({ headers: { authorization: asGit } })).body).toBe('none');
});

it('an answer is streamed: its beginning arrives before its end is sent', async () => {
  const heard = Promise.withResolvers<void>();
  handle = (_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: one\n\n');
    void heard.promise.then(() => response.end('data: two\n\n'));
  };
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, headers: { host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(String(first)).toBe('data: one\n\n');
  heard.resolve();
  expect(await text(response)).toBe('data: two\n\n');
});

it('answers to HEAD and with 304 have their headers and no body, and their connection can be used again', async () => {
  handle = (incoming, response) => {
    response.setHeader('referrer-policy', 'origin');
    const isKnown = incoming.headers['if-none-match'] === '"1"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"1"', ...(!isKnown && { 'content-length': '5' }) });
    response.end(isKnown || incoming.method === 'HEAD' ? undefined : 'bread');
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const head = await ask({ method: 'HEAD', agent });
  expect(head).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '5', etag: '"1"', 'referrer-policy': 'origin' },
  });
  const known = await ask({ agent, headers: { 'if-none-match': '"1"' } });
  expect(known).toMatchObject({ status: 304, body: '', headers: { etag: '"1"' } });
  expect(known.headers).not.toHaveProperty('transfer-encoding');
  expect(await ask({ agent })).toMatchObject({ status: 200, body: 'bread' });
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  agent.destroy();
});

it('a client that waits for 100 Continue gets it, and the app does not see the header Expect', async () => {
  handle = async (incoming, response) => response.end(`${String(incoming.headers.expect)} ${await text(incoming)}`);
  const { port } = server.address() as AddressInfo;
  const headers = { host, expect: '100-continue', 'content-length': '5' };
  const sent = request({ host: '127.0.0.1', port, method: 'PUT', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.end('bread');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(await text(answer)).toBe('undefined bread');
});

it('the answer of an app that answers early is passed on, and the rest of a large body is dropped', async () => {
  handle = (_incoming, response) => response.writeHead(401).end('first say who you are');
  const answer = await ask({ method: 'POST', body: 'x'.repeat(900) });
  expect(answer).toMatchObject({ status: 401, body: 'first say who you are' });
});

it('the app gets one Host header, that of the preview', async () => {
  handle = (incoming, response) =>
    response.end(
      JSON.stringify(incoming.rawHeaders.filter((_, at) => incoming.rawHeaders[at - 1]?.toLowerCase() === 'host')),
    );
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toContain(JSON.stringify([host]));
});

it('headers that are not ASCII stay unchanged, also over WebSockets', async () => {
  const name = Buffer.from('café').toString('latin1');
  handle = (_incoming, response) => response.writeHead(200, { 'x-name': name }).end();
  expect((await ask()).headers['x-name']).toBe(name);
  app.on('upgrade', (_incoming, socket) =>
    socket.end(Buffer.from(`HTTP/1.1 403 Forbidden\r\nx-name: ${name}\r\ncontent-length: 0\r\n\r\n`, 'latin1')),
  );
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host } });
  client.on('error', () => {});
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(response.headers['x-name']).toBe(name);
});

it.each<[string, Partial<ProxiedPreview> | null, number, string]>([
  ['a preview that does not exist', null, 404, 'There is no preview at this address.'],
  ['a sandbox that is gone', { state: 'gone', route: null }, 410, 'This preview has ended'],
  ['a sandbox that is being torn down', { state: 'ending' }, 410, 'This preview has ended'],
  ['a sandbox whose time is over', { expiresAt: new Date(0) }, 410, 'This preview has ended'],
  ['a sandbox that boots', { state: 'booting', route: null }, 503, 'This preview is starting'],
  [
    'a sandbox whose worker was killed',
    { route: { address: 'tcp:127.0.0.1:9', key: 'nowhere' } },
    502,
    'The app does not answer',
  ],
])('the slug of %s is answered by a page', async (_what, row, status, message) => {
  const known = rows.get('k3v');
  if (row === null || known === undefined) rows.clear();
  else rows.set('k3v', { ...known, ...row });
  const answer = await ask();
  expect(answer.status).toBe(status);
  expect(answer.body).toContain(message);
  expect(answer.body).not.toContain('nowhere');
  expect(answer.headers['retry-after']).toBe(status === 503 || status === 502 ? '2' : undefined);
});

it('the proxy connects only to the address of the row, whatever the request names', async () => {
  let reached = 0;
  const other = createTcpServer((socket) => {
    reached += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  handle = (incoming, response) => response.end(incoming.url);
  expect((await ask({ path: `http://127.0.0.1:${port}/` })).body).toBe(`http://127.0.0.1:${port}/`);
  expect((await ask({ headers: { host: `127.0.0.1:${port}` } })).status).toBe(404);
  expect((await ask({ headers: { 'x-forwarded-host': `127.0.0.1:${port}` } })).status).toBe(200);
  expect(reached).toBe(0);
  other.close();
});

it('a body that is too large is refused, with or without a length', async () => {
  handle = async (incoming, response) => response.end(String((await text(incoming)).length));
  const body = 'x'.repeat(1_001);
  expect((await ask({ method: 'POST', body })).status).toBe(413);
  expect((await ask({ method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body })).status).toBe(413);
  expect(await ask({ method: 'POST', body: 'x'.repeat(1_000) })).toMatchObject({ status: 200, body: '1000' });
});

it('a request is answered with 504 if the app never answers, with 502 if it breaks off, and an answer that stops is cut', async () => {
  handle = () => {};
  expect((await ask()).status).toBe(504);
  handle = (incoming) => incoming.socket.destroy();
  expect((await ask()).status).toBe(502);
  handle = (_incoming, response) => {
    response.writeHead(200);
    response.write('half');
  };
  await expect(ask()).rejects.toThrow(/aborted|ECONNRESET/);
});

it('a preview gets a limited number of requests at once, and more when answers end', async () => {
  const waiting: ServerResponse[] = [];
  handle = (_incoming, response) => void waiting.push(response);
  const both = [ask(), ask()];
  while (waiting.length < 2) await delay(5);
  expect(await ask()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  for (const response of waiting) response.end('done');
  expect((await Promise.all(both)).map(({ body }) => body)).toEqual(['done', 'done']);
  handle = (_incoming, response) => response.end('again');
  expect((await ask()).body).toBe('again');
});

it('requests that wait for the same row are counted, too', async () => {
  const finding = Promise.withResolvers<void>();
  found = finding.promise;
  const waiting: ServerResponse[] = [];
  handle = (_incoming, response) => void waiting.push(response);
  const asked = [ask(), ask(), ask()];
  await expect.poll(() => reads).toBe(3);
  finding.resolve();
  expect(await Promise.race(asked)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  await expect.poll(() => waiting.length).toBe(2);
  for (const response of waiting) response.end('done');
  expect((await Promise.all(asked)).map(({ status }) => status).toSorted()).toEqual([200, 200, 503]);
});

it('a client that left before the preview was found does not count as a request', async () => {
  const finding = Promise.withResolvers<void>();
  found = finding.promise;
  const { port } = server.address() as AddressInfo;
  for (let gone = 0; gone < 2; gone += 1) {
    const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const sent = request({ host: '127.0.0.1', port, headers: { host } }).end();
    sent.on('error', () => {});
    const [, response] = await asked;
    const closed = once(response, 'close');
    sent.destroy();
    await closed;
  }
  finding.resolve();
  handle = (_incoming, response) => response.end('there');
  expect(await Promise.all([ask(), ask()])).toMatchObject([{ body: 'there' }, { body: 'there' }]);
});

it('a running answer ends with its preview', async () => {
  rows.set('k3v', { state: 'ready', route, expiresAt: new Date(now.getTime() + 200) });
  handle = (_incoming, response) => {
    response.writeHead(200);
    const saying = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(saying));
  };
  await expect(ask()).rejects.toThrow(/aborted|ECONNRESET|hang up/);
});

it('a row is cached for a while', async () => {
  const patient = createPreviewProxy({
    publicUrl: 'http://localhost:4000',
    find: async () => {
      reads += 1;
      return await Promise.resolve(null);
    },
    clock: () => now,
    log: pino({ level: 'silent' }),
    limits: { knownMs: 60_000 },
  });
  server.removeAllListeners('request').on('request', (incoming, response) => patient.serve(incoming, response));
  await ask();
  await ask();
  expect(reads).toBe(1);
});

it('WebSockets work in both directions, and end with the server', async () => {
  const sockets = new WebSocketServer({ server: app, handleProtocols: () => 'chat' });
  sockets.on('connection', (socket, incoming) => {
    socket.send(`${incoming.url} ${String(incoming.headers['x-forwarded-host'])}`);
    socket.on('message', (said: Buffer) => socket.send(`heard ${said.toString()}`));
  });
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`, 'chat', { headers: { host } });
  const [hello] = await once(client, 'message');
  expect(String(hello)).toBe(`/live ${host}`);
  client.send('bread');
  expect(String((await once(client, 'message'))[0])).toBe('heard bread');
  // Waits for longer than an answer may be silent.
  await delay(1_700);
  client.send('still');
  expect(String((await once(client, 'message'))[0])).toBe('heard still');
  proxy.close();
  await once(client, 'close');
  sockets.close();
});

it('a refused upgrade has the answer of the app, and that for an unknown preview has the page', async () => {
  handle = (_incoming, response) => response.writeHead(403, { 'x-why': 'no' }).end('not you');
  app.on('upgrade', (_incoming, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\nx-why: no\r\ncontent-length: 7\r\n\r\nnot you'),
  );
  const refusal = async (to: string): Promise<{ status: number | undefined; body: string }> => {
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: to } });
    client.on('error', () => {});
    const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
    return { status: response.statusCode, body: await text(response) };
  };
  expect(await refusal(host)).toEqual({ status: 403, body: 'not you' });
  expect(await refusal('nobody.preview.localhost')).toMatchObject({ status: 404 });
});

it('an app that switches protocols without being asked is disconnected, and the request is answered with 502', async () => {
  const closed = Promise.withResolvers<void>();
  handle = (incoming) => {
    incoming.socket.once('close', () => closed.resolve());
    incoming.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  };
  expect((await ask()).status).toBe(502);
  await closed.promise;
});

it('a protocol other than WebSocket is refused with 501', async () => {
  const answer = await ask({ headers: { connection: 'Upgrade', upgrade: 'h2c' } });
  expect(answer.status).toBe(501);
});
