import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import type { Answer, Claim, Idempotency, KeyedRequest } from '../../rest-facade/index.ts';
import { type Fixture, facadeOver } from './fixtures/facade.ts';

const stats = '/api/v1/queue/stats?org=a&repo=b';
const pause = { method: 'POST', url: '/api/v1/repo', payload: { org: 'a', name: 'b', paused: true } } as const;
const open: Fixture[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ server }) => server.close()));
});

function facade(options: Parameters<typeof facadeOver>[1] = {}, depth = { queued: 1, p50: 2 }): Fixture {
  const fixture = facadeOver(
    {
      repository: () => ({ queueDepth: depth }),
      pauseRepository: () => ({ repository: { owner: 'a', name: 'b', paused: true } }),
      replaceConfiguration: () => ({ outcome: { __typename: 'ConfigurationAccepted', success: true } }),
    },
    options,
  );
  open.push(fixture);
  return fixture;
}

describe('the façade', () => {
  it('answers HEAD like GET without the body, over a real connection', async () => {
    const { server } = facade();
    await server.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${stats}`;
    const [get, head] = [await fetch(url), await fetch(url, { method: 'HEAD' })];
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length));
  });

  it('answers 304 to a client that has the answer already', async () => {
    const { server } = facade();
    const { etag } = (await server.inject(stats)).headers;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await server.inject({ url: stats, headers: { 'if-none-match': String(known) } });
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    }
    expect((await server.inject({ url: stats, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    expect((await facade({}, { queued: 2, p50: 2 }).server.inject(stats)).headers['etag']).not.toBe(etag);
  });

  it('says which methods a path has', async () => {
    const { server } = facade();
    for (const [method, url, allow] of [
      ['DELETE', stats, 'GET, HEAD'],
      ['PUT', '/api/v1/repo', 'POST, GET, HEAD'],
      ['OPTIONS', '/api/v1/previews/', 'POST'],
    ] as const) {
      const answer = await server.inject({ method, url, payload: method === 'PUT' ? 'x'.repeat(2 ** 21) : undefined });
      expect([answer.statusCode, answer.json(), answer.headers['allow']]).toEqual([
        405,
        { error: 'Method not allowed' },
        allow,
      ]);
    }
  });

  it('answers an unknown path under /api in JSON', async () => {
    const { server } = facade();
    for (const url of ['/api/v1/nothing', '/api', '/api/', '/api/v2/repo']) {
      const answer = await server.inject({
        method: 'POST',
        url,
        payload: '{',
        headers: { 'content-type': 'application/json' },
      });
      expect([url, answer.statusCode, answer.json()]).toEqual([url, 404, { error: 'Not found' }]);
      expect(answer.headers['x-request-id']).toBeDefined();
    }
  });

  it('answers a URL that cannot be decoded in JSON', async () => {
    const answer = await facade().server.inject('/api/v1/%zz');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ error: expect.stringContaining('/api/v1/%zz') });
  });

  it('accepts a trailing slash without a redirect', async () => {
    const answer = await facade().server.inject('/api/v1/queue/stats/?org=a&repo=b');
    expect([answer.statusCode, answer.json()]).toEqual([200, { depth: { queued: 1, p50: 2 } }]);
  });

  it('returns the request id of the client if it is valid, or else a new one', async () => {
    const { server } = facade();
    const idOf = async (given: string) =>
      (await server.inject({ url: stats, headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idOf('trace-1')).toBe('trace-1');
    expect(await idOf('not an id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the body of a request', () => {
  const send = (payload: string | Buffer, type: string, url: string = pause.url) =>
    facade().server.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });

  it('must have a JSON type if the operation takes JSON', async () => {
    const json = JSON.stringify(pause.payload);
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/vnd.acme+json',
      'APPLICATION/JSON',
    ]) {
      expect((await send(json, type)).statusCode).toBe(200);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json']) {
      const answer = await send(json, type);
      expect([type, answer.statusCode, Object.keys(answer.json<object>())]).toEqual([type, 415, ['error']]);
    }
  });

  it('may have any type but multipart if the operation takes a text', async () => {
    const config = '/api/v1/config?org=a&repo=b';
    for (const type of ['application/yaml', 'text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      expect((await send('{', type, config)).statusCode).toBe(200);
    }
    expect((await send('--x--', 'multipart/form-data; boundary=x', config)).statusCode).toBe(415);
    expect((await send(Buffer.from([0xff, 0xfe]), 'text/plain', config)).json()).toEqual({
      error: 'The body must be UTF-8 text',
    });
  });

  it('must not be compressed', async () => {
    for (const [url, type] of [
      [pause.url, 'application/json'],
      ['/api/v1/config?org=a&repo=b', 'application/yaml'],
    ] as const) {
      const payload = gzipSync(JSON.stringify(pause.payload));
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      const answer = await facade().server.inject({ method: 'POST', url, payload, headers });
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        { error: 'Content-Encoding must be identity: send the body uncompressed' },
      ]);
      const plain = { ...headers, 'content-encoding': 'identity' };
      const sent = { method: 'POST', url, payload: JSON.stringify(pause.payload), headers: plain } as const;
      expect((await facade().server.inject(sent)).statusCode).toBe(200);
    }
  });

  it('is passed on byte by byte if it is a text', async () => {
    const fixture = facade();
    const yaml = '\ufeffa: "ü"\r\n';
    await fixture.server.inject({
      method: 'POST',
      url: '/api/v1/config?org=a&repo=b',
      payload: yaml,
      headers: { 'content-type': 'text/yaml' },
    });
    expect(fixture.calls[0]?.args['input']).toMatchObject({ yaml });
  });

  it('is refused if it is broken JSON', async () => {
    const answer = await send('{"org":', 'application/json');
    expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'The body is not valid JSON' }]);
  });

  it('cannot set keys of the prototype', async () => {
    const answer = await send('{"org":"a","name":"b","__proto__":{"paused":true}}', 'application/json');
    expect(answer.json()).toEqual({ error: 'paused is required' });
  });

  it('has a limit per operation', async () => {
    const config = '/api/v1/config?org=a&repo=b';
    expect((await send('x'.repeat(1024), 'text/plain', config)).statusCode).toBe(200);
    const answer = await send('x'.repeat(1025), 'text/plain', config);
    expect([answer.statusCode, Object.keys(answer.json<object>())]).toEqual([413, ['error']]);
    expect((await send(`{"x":"${'x'.repeat(2 ** 20)}"}`, 'application/json')).statusCode).toBe(413);
  });
});

/** Stores answers in memory, for one account. */
class Kept implements Idempotency {
  readonly answers = new Map<string, { fingerprint: string; answer: Answer | undefined }>();
  authorise(): void {}
  async begin({ key, operation, fingerprint }: KeyedRequest): Promise<Claim> {
    const known = this.answers.get(`${operation} ${key}`);
    if (!known) this.answers.set(`${operation} ${key}`, { fingerprint, answer: undefined });
    if (!known) return { kind: 'First' };
    if (known.fingerprint !== fingerprint) return { kind: 'OtherFingerprint' };
    return known.answer ? { kind: 'Answered', answer: known.answer } : { kind: 'InProgress' };
  }
  async finish({ key, operation, fingerprint }: KeyedRequest, answer: Answer | undefined): Promise<void> {
    if (answer) this.answers.set(`${operation} ${key}`, { fingerprint, answer });
    else this.answers.delete(`${operation} ${key}`);
  }
}

describe('Idempotency-Key', () => {
  const keyed = { ...pause, headers: { 'idempotency-key': 'k-1' } };

  it('a repeated request acts once and gets the first answer', async () => {
    const { server, calls } = facade({ idempotency: new Kept() });
    const [first, second] = [await server.inject(keyed), await server.inject(keyed)];
    expect(calls).toHaveLength(1);
    expect([second.statusCode, second.body]).toEqual([first.statusCode, first.body]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  });

  it('another request with the same key is refused', async () => {
    const { server, calls } = facade({ idempotency: new Kept() });
    await server.inject(keyed);
    const other = await server.inject({ ...keyed, payload: { ...pause.payload, paused: false } });
    expect([other.statusCode, other.json()]).toEqual([422, { error: 'Idempotency-Key was used with another request' }]);
    expect(calls).toHaveLength(1);
  });

  it('a second request is refused while the first runs', async () => {
    const idempotency = new Kept();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server } = facade({
      idempotency,
      execute: async () => {
        await held;
        return { data: { pauseRepository: { repository: { org: 'a', name: 'b', paused: true } } } };
      },
    });
    const first = server.inject(keyed);
    await expect.poll(() => idempotency.answers.size).toBe(1);
    expect((await server.inject(keyed)).statusCode).toBe(409);
    release();
    expect((await first).statusCode).toBe(200);
  });

  it.each([
    ['HOST_UNAVAILABLE', 503, 2],
    ['INTERNAL', 500, 2],
    ['UNAUTHENTICATED', 401, 2],
    ['FORBIDDEN', 403, 2],
    ['RATE_LIMITED', 429, 2],
    ['NOT_FOUND', 404, 1],
    ['CONFLICT', 409, 1],
  ] as const)('the error %s with status %i is repeated after %i executions', async (code, status, times) => {
    let asked = 0;
    const { server } = facade({
      idempotency: new Kept(),
      execute: async () => {
        asked += 1;
        throw new DomainError(code, 'No.');
      },
    });
    // Bad input is not stored, so the key is free for the next request.
    expect((await server.inject({ ...keyed, payload: {} })).statusCode).toBe(400);
    const statuses = [(await server.inject(keyed)).statusCode, (await server.inject(keyed)).statusCode];
    expect([statuses, asked]).toEqual([[status, status], times]);
  });

  it('is used for POST and PATCH, and has a limited form', async () => {
    const { server, calls } = facade({ idempotency: new Kept() });
    for (let time = 0; time < 2; time++) await server.inject({ url: stats, headers: { 'idempotency-key': 'k-1' } });
    expect(calls).toHaveLength(2);
    const long = await server.inject({ ...pause, headers: { 'idempotency-key': 'x'.repeat(256) } });
    expect(long.json()).toEqual({ error: 'Idempotency-Key must be 1 to 255 visible ASCII characters' });
  });
});
