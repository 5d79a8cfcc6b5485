// The HTTP client for addresses of users: what it refuses to connect to, and the limits of an answer.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpOut, type HttpOut } from '../../src/platform/http-out/index.ts';
import { insideUrls } from './inside.table.ts';
import { receiver, type Receiver } from './receiver.ts';

const refused = 'The address is private, loopback or link-local: this installation sends nothing to such addresses.';
let r: Receiver;
let guarded: HttpOut;
let open: HttpOut;
beforeAll(async () => {
  r = await receiver();
  guarded = createHttpOut({ allowPrivateAddresses: false });
  open = createHttpOut({ allowPrivateAddresses: true });
});
afterAll(async () => {
  guarded.close();
  open.close();
  await r[Symbol.asyncDispose]();
});

const post = async (http: HttpOut, url: string, timeoutMs = 30_000) =>
  await http.post({ url, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}'), timeoutMs });

describe('a private address', () => {
  it.each(insideUrls)('%s is not connected to', async (url) => {
    expect(await post(guarded, url.replace('PORT', new URL(r.url).port))).toMatchObject({
      status: null,
      error: refused,
    });
  });

  it('behind a name is not connected to, and the error does not show the address', async () => {
    const { port } = new URL(r.url);
    expect(await post(guarded, `http://localhost:${port}/`)).toMatchObject({ status: null, error: refused });
    const lookup: LookupFunction = (_name, options, done) =>
      options.all ? done(null, [{ address: '10.1.2.3', family: 4 }]) : done(null, '10.1.2.3', 4);
    const rebound = createHttpOut({ allowPrivateAddresses: false, lookup });
    for (const scheme of ['http', 'https']) {
      const answer = await post(rebound, `${scheme}://hooks.example.test/`);
      expect(answer).toMatchObject({ status: null, error: refused });
      expect(JSON.stringify(answer)).not.toContain('10.1.2.3');
    }
    rebound.close();
  });

  it.each([
    ['10.1.2.3'],
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00::1'],
    ['127.0.0.1', '10.1.2.3'],
    ['::1', '127.0.0.1'],
  ])('among the addresses of a name (%s %s) is not connected to', async (...addresses) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const lookup: LookupFunction = (_name, options, done) =>
      options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family);
    const named = createHttpOut({ allowPrivateAddresses: false, lookup });
    const { port } = new URL(r.url);
    expect(await post(named, `http://hooks.example.test:${port}/`)).toMatchObject({ status: null, error: refused });
    named.close();
  });

  it('is not connected to if the name has another address at each lookup', async () => {
    let questions = 0;
    const lookup: LookupFunction = (_name, options, done) => {
      const address = ['10.1.2.3', '127.0.0.1'][questions % 2] ?? '';
      questions += 1;
      return options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
    };
    const rebound = createHttpOut({ allowPrivateAddresses: false, lookup });
    const { port } = new URL(r.url);
    for (let attempt = 0; attempt < 4; attempt += 1)
      expect(await post(rebound, `http://hooks.example.test:${port}/`)).toMatchObject({ status: null, error: refused });
    expect(questions).toBe(4);
    rebound.close();
  });

  it('got none of these requests', () => {
    expect(r.received).toEqual([]);
  });

  it('is connected to if the operator allows it', async () => {
    r.answer(() => ({ status: 201, body: 'made' }));
    expect(await post(open, r.url)).toMatchObject({ status: 201, body: 'made', error: null });
  });
});

describe('an answer', () => {
  async function serve(answer: RequestListener): Promise<{ url: string } & AsyncDisposable> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  it('that does not come in time is an error', async () => {
    await using silent = await serve(() => {});
    const answer = await post(open, silent.url, 200);
    expect(answer).toMatchObject({ status: null, error: 'There was no answer within 0.2 s.' });
  });

  it.each([301, 302, 303, 307, 308])('with the redirect %s is not followed', async (status) => {
    const visited: (string | undefined)[] = [];
    await using redirecting = await serve(({ url }, response) => {
      visited.push(url);
      response.writeHead(status, { location: '/inside' }).end();
    });
    expect((await post(open, redirecting.url)).status).toBe(status);
    expect(visited).toEqual(['/']);
  });

  it('with an endless body counts by its status, and the start of the body is kept', async () => {
    await using endless = await serve((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(4_096)) || clearInterval(timer), 1);
    });
    const answer = await post(open, endless.url);
    expect([answer.status, answer.body.length, answer.error]).toEqual([200, 16_384, null]);
  });

  it.each([
    ['once', 'POST', {}, ['POST', 'POST']],
    [
      'again because its idempotency key makes that harmless',
      'POST',
      { 'idempotency-key': 'k' },
      ['POST', 'POST', 'POST'],
    ],
    ['again because it only reads', 'GET', {}, ['GET', 'GET', 'GET']],
  ])(
    'is lost if a kept connection is dropped; then the request is sent %s (%s)',
    async (_what, method, headers, expected) => {
      const seen: string[] = [];
      await using dropping = await serve((request, response) => {
        seen.push(request.method ?? '');
        const isFirst = seen.length === 1;
        request.resume().on('end', () => (isFirst ? response.end('ok') : request.socket.destroy()));
      });
      const { url } = dropping;
      const http = createHttpOut({ allowPrivateAddresses: true });
      const ask = { url, headers, body: Buffer.from('{}'), timeoutMs: 30_000, maxBytes: 100, method };
      expect((await http.send(ask)).status).toBe(200);
      expect((await http.send(ask)).error).toBe('The connection was closed before there was an answer.');
      expect(seen).toEqual(expected);
      http.close();
    },
  );

  it('to a webhook may be lost, but the webhook is sent once', async () => {
    const seen: string[] = [];
    await using dropping = await serve((request, response) => {
      seen.push(request.method ?? '');
      const isFirst = seen.length === 1;
      request.resume().on('end', () => (isFirst ? response.end('ok') : request.socket.destroy()));
    });
    expect((await post(open, dropping.url)).status).toBe(200);
    expect((await post(open, dropping.url)).error).toBe('The connection was closed before there was an answer.');
    expect(seen).toEqual(['POST', 'POST']);
  });

  it('of a closed port or an unknown host is an error in words', async () => {
    const closed = await serve(() => {});
    await closed[Symbol.asyncDispose]();
    expect(await post(open, closed.url)).toMatchObject({ status: null, error: 'The connection was refused.' });
    const lookup: LookupFunction = (_name, _options, done) =>
      done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '', 4);
    const nowhere = createHttpOut({ allowPrivateAddresses: true, lookup });
    expect(await post(nowhere, 'http://nowhere.example.test/')).toMatchObject({
      status: null,
      error: 'The name of the host does not resolve.',
    });
    nowhere.close();
  });
});
