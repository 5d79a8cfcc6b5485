import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { cpuMsSince } from '../support/cpu.ts';

let s: TestServer;
let graphiqlDir: string;
let now = Date.now();
beforeAll(async () => {
  graphiqlDir = await mkdtemp(join(tmpdir(), 'interlock-graphiql-'));
  await mkdir(join(graphiqlDir, 'assets'));
  await writeFile(join(graphiqlDir, 'index.html'), '<!doctype html><title>GraphiQL</title>');
  await writeFile(join(graphiqlDir, '.stamp'), 'not for users');
  await writeFile(join(graphiqlDir, 'assets', 'main-1.js'), 'export {};');
  await writeFile(join(graphiqlDir, 'assets', 'main-1.js.br'), brotliCompressSync('export {};'));
  s = await startServer({ graphiqlDir, clock: () => new Date(now), rateLimit: 'as usual' });
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
});
afterAll(async () => {
  await s.close();
  await rm(graphiqlDir, { recursive: true });
});

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a GET without changing the path, which fetch would normalise. Returns the body without decompressing it. */
async function rawGet(path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(s.url);
  return await new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path, headers }, (response) => {
      const pieces: Buffer[] = [];
      response
        .on('data', (piece: Buffer) => void pieces.push(piece))
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
        );
    })
      .on('error', reject)
      .end();
  });
}

describe('the server', () => {
  it('says at /healthz that it lives, and at /readyz that it can work', async () => {
    expect(await (await fetch(`${s.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${s.url}/readyz`)).json()).toEqual({ status: 'ready' });
  });

  it('answers errors in JSON, each with the id of its request', async () => {
    for (const [path, init, status] of [
      ['/nothing', {}, 404],
      ['/api/v1/nothing', {}, 404],
      ['/graphql', { method: 'DELETE' }, 404],
      [
        '/graphql',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token}` },
          body: '{',
        },
        400,
      ],
      [
        '/graphql',
        { method: 'POST', headers: { 'content-type': 'text/csv', authorization: `Bearer ${s.token}` }, body: 'a' },
        415,
      ],
    ] as const) {
      const response = await fetch(`${s.url}${path}`, init);
      expect([path, response.status, typeof ((await response.json()) as { error: string }).error]).toEqual([
        path,
        status,
        'string',
      ]);
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    }
    const named = await fetch(`${s.url}/healthz`, { headers: { 'x-request-id': 'mine-1' } });
    expect(named.headers.get('x-request-id')).toBe('mine-1');
  });

  it('refuses a compressed request of GraphQL, and says that it must be sent uncompressed', async () => {
    const body = JSON.stringify({ query: '{ viewer { email } }' });
    const send = async (sent: string | Buffer, coding: string): Promise<Response> =>
      await fetch(`${s.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': coding,
          authorization: `Bearer ${s.token}`,
        },
        body: sent,
      });
    const refused = await send(gzipSync(body), 'gzip');
    expect([refused.status, await refused.json()]).toEqual([
      415,
      { error: 'Content-Encoding must be identity: send the body uncompressed' },
    ]);
    expect(await (await send(body, 'Identity')).json()).toEqual({ data: { viewer: { email: 'service@acme.test' } } });
  });

  it('refuses requests that a page of another site could make a browser send', async () => {
    const simple = await fetch(`${s.url}/graphql?query=%7Bviewer%7Bemail%7D%7D`, {
      headers: { authorization: `Bearer ${s.token}` },
    });
    expect(simple.status).toBe(400);
    const asked = await fetch(`${s.url}/graphql?query=%7Bviewer%7Bemail%7D%7D`, {
      headers: { authorization: `Bearer ${s.token}`, 'apollo-require-preflight': 'true' },
    });
    expect(await asked.json()).toEqual({ data: { viewer: { email: 'service@acme.test' } } });
  });

  it('serves its schemas', async () => {
    const configuration = (await (await fetch(`${s.url}/schema/config.json`)).json()) as { properties: object };
    expect(configuration.properties).toHaveProperty('merge_rules');
    expect(await (await fetch(`${s.url}/schema/openapi.yaml`)).text()).toContain('openapi: 3.1');
    expect(await (await fetch(`${s.url}/schema/schema.graphql`)).text()).toContain('type Query {');
  });

  it('serves GraphiQL from its folder, and no other files', async () => {
    const page = await fetch(`${s.url}/graphiql`);
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<!doctype html><title>GraphiQL</title>',
    ]);
    expect(page.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    const script = await fetch(`${s.url}/graphiql/assets/main-1.js`);
    expect([script.headers.get('content-type'), script.headers.get('cache-control')]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(await script.text()).toBe('export {};');
    const etag = script.headers.get('etag') ?? '';
    const again = await rawGet('/graphiql/assets/main-1.js', { 'if-none-match': etag });
    const compressed = await rawGet('/graphiql/assets/main-1.js', { 'accept-encoding': 'gzip, br' });
    expect([etag !== '', again.status, again.body.length]).toEqual([true, 304, 0]);
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(compressed.body).toString()).toBe('export {};');
    for (const path of [
      '/graphiql/.stamp',
      '/graphiql/../package.json',
      '/graphiql/..%2fpackage.json',
      '/graphiql/%2e%2e/package.json',
      '/graphiql/nothing.js',
    ])
      expect([path, (await rawGet(path)).status]).toEqual([path, 404]);
  });
});

describe('a GraphQL request', () => {
  const nested = (levels: number): string =>
    `{ repositories { nodes { ${'queues { repository { '.repeat(levels)} id ${'} } '.repeat(levels)} } } }`;
  it.each([
    ['too deep', nested(10), 'levels deep'],
    [
      'with too many aliases',
      `{ ${Array.from({ length: 101 }, (_, at) => `a${at}: viewer { email }`).join(' ')} }`,
      '101 aliases',
    ],
    ['of too many tokens', `{ ${'viewer { email } '.repeat(2_000)} }`, 'tokens'],
    [
      'too expensive',
      '{ repositories(first: 100) { nodes { pullRequests(first: 100) { nodes { batches(first: 100) { nodes { members { commit } } } } } } } }',
      'points',
    ],
    [
      'too expensive by fragments that double',
      `${Array.from({ length: 30 }, (_, at) => `fragment f${at} on Repository { ${at === 29 ? 'queues { id }' : `...f${at + 1} queues { repository { ...f${at + 1} } }`} }`).join('\n')} { repositories { nodes { ...f0 } } }`,
      'at most',
    ],
    [
      'with a cycle of fragments',
      '{ repositories { nodes { ...a } } } fragment a on Repository { ...b } fragment b on Repository { ...a }',
      'Cannot spread fragment',
    ],
    ['with an unknown field', '{ nothing }', 'Cannot query field'],
    [
      'with a wrong variable',
      'query ($n: PullRequestNumber!) { repository(owner: "a", name: "b") { queue(baseBranch: $n) { id } } }',
      'Variable "$n"',
    ],
  ])('%s is refused as bad input', async (_what, query, message) => {
    const before = process.cpuUsage();
    const answer = await s.graphql(query, { n: 'x' });
    expect(answer.errors[0]?.message).toContain(message);
    expect(answer.errors.map(({ extensions }) => extensions.code)).toEqual(answer.errors.map(() => 'BAD_INPUT'));
    expect(answer.status).toBeLessThan(500);
    expect(cpuMsSince(before)).toBeLessThan(2_000);
  });

  it('for the whole schema is allowed, because tools send it', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const answer = await s.graphql<{ __schema: { types: unknown[] } }>(getIntrospectionQuery());
    expect(answer.errors).toEqual([]);
    expect(answer.data.__schema.types.length).toBeGreaterThan(40);
  });

  it('gets no details of an internal error', async () => {
    const owner = new pg.Client({ connectionString: s.databaseUrl });
    await owner.connect();
    await owner.query('alter table repository rename column paused to paused_elsewhere');
    try {
      const answer = await s.graphql('{ repositories(first: 3) { nodes { id } } }');
      expect(answer.errors).toMatchObject([
        {
          message: 'Internal server error',
          extensions: { code: 'INTERNAL', requestId: answer.headers.get('x-request-id') },
        },
      ]);
      expect(answer.text).not.toContain('paused');
      const rest = await s.rest('GET', '/api/v1/repo?page=7');
      expect([rest.status, await rest.json()]).toEqual([
        500,
        { error: 'Internal server error', request_id: rest.headers.get('x-request-id') },
      ]);
    } finally {
      await owner.query('alter table repository rename column paused_elsewhere to paused');
      await owner.end();
    }
  });
});

describe('the rate limit', () => {
  it('is one per account for GraphQL and REST, and answers say what is left and when to come back', async () => {
    now += 60_000;
    const first = await s.rest('GET', '/api/v1/repo');
    expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['200', '199']);
    const graphql = await s.graphql('{ viewer { email } }');
    expect(graphql.headers.get('ratelimit-remaining')).toBe('198');
    const expensive = await s.graphql('{ repositories(first: 100) { nodes { queuedPullRequests { id } } } }');
    expect(Number(expensive.headers.get('ratelimit-remaining'))).toBeLessThan(197);
    for (;;) {
      const left = Number((await s.rest('GET', '/api/v1/repo')).headers.get('ratelimit-remaining'));
      if (left === 0) break;
    }
    const refused = await s.rest('GET', '/api/v1/repo');
    expect([
      refused.status,
      refused.headers.get('retry-after'),
      refused.headers.get('ratelimit-remaining'),
      await refused.json(),
    ]).toEqual([429, '1', '0', { error: 'Too many requests: try again in 1 s.' }]);
    const refusedGraphql = await s.graphql('{ viewer { email } }');
    expect([
      refusedGraphql.status,
      refusedGraphql.headers.get('retry-after'),
      refusedGraphql.errors[0]?.extensions.code,
    ]).toEqual([429, '1', 'RATE_LIMITED']);
    const other = await s.otherAccount();
    expect((await s.rest('GET', '/api/v1/repo', { token: other.token })).status).toBe(200);
    now += 1_000;
    expect((await s.rest('GET', '/api/v1/repo')).headers.get('ratelimit-remaining')).toBe('99');
  });
});

describe('an Idempotency-Key', () => {
  const post = async (key: string, paused: unknown, token = s.token) =>
    await s.rest('POST', '/api/v1/repo', {
      body: { org: 'acme', name: 'shop', paused },
      headers: { 'idempotency-key': key },
      token,
    });
  const pauses = async () => (await s.rows(`select 1 from event where action like 'repository_%paused'`)).length;

  it('gets the first answer again, and nothing is done again', async () => {
    now += 60_000;
    const before = await pauses();
    const first = await post('a', true);
    await s.graphql(
      'mutation { pauseRepository(input: {repository: {owner: "acme", name: "shop"}, paused: false}) { repository { id } } }',
    );
    const again = await post('a', true);
    expect([again.status, await again.text()]).toEqual([first.status, await first.text()]);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await pauses()).toBe(before + 2);
  });

  it('is refused for another request, and does not exist for another account', async () => {
    const other = await post('a', false);
    expect([other.status, await other.json()]).toEqual([
      422,
      { error: 'Idempotency-Key was used with another request' },
    ]);
    const stranger = await s.otherAccount('stranger');
    expect((await post('a', true, stranger.token)).status).toBe(404);
  });

  it('also stores the answer that something does not exist', async () => {
    const first = await post('b', 'yes');
    const missing = await s.rest('POST', '/api/v1/repo', {
      body: { org: 'acme', name: 'none', paused: true },
      headers: { 'idempotency-key': 'c' },
    });
    const again = await s.rest('POST', '/api/v1/repo', {
      body: { org: 'acme', name: 'none', paused: true },
      headers: { 'idempotency-key': 'c' },
    });
    expect([first.status, missing.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([
      400,
      404,
      404,
      'true',
    ]);
  });

  it('lets only one of three requests at once do the work', async () => {
    const before = await pauses();
    const answers = await Promise.all([post('d', true), post('d', true), post('d', true)]);
    expect(await pauses()).toBe(before + 1);
    expect(
      answers.filter(({ status, headers }) => status === 200 && headers.get('idempotent-replayed') === null),
    ).toHaveLength(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
  });

  it('expires after a day', async () => {
    await s.rows(`update idempotency_key set created_at = now() - interval '25 hours' where key = 'd'`);
    expect((await post('d', false)).headers.get('idempotent-replayed')).toBeNull();
  });
});
