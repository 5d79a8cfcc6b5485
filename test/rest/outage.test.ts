// PostgreSQL stops, starts and ends sessions during requests of each kind. No answer blames Interlock with a status
// 500.
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { metricsOf } from '../support/metrics.ts';
import { startServer, type TestServer } from '../support/server.ts';

const unavailable = 'Interlock is unavailable for a moment. Try again.';
const repo = '/api/v1/repo?page=1';

let dataDir: string;
let postgres: EmbeddedPostgres;
let s: TestServer;
/** Tokens that the server has not seen yet, so that it must look them up. */
const strangers: string[] = [];

async function start(): Promise<void> {
  postgres = await startPostgres({ dataDir, cacheDir: inject('cacheDir'), fast: true, log: () => {} });
}

/** Runs `work` in a session of its own, without the service. */
async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'interlock-outage-'));
  await chmod(dataDir, 0o755);
  await start();
  await migrate(postgres.url);
  // Signs in once, so that the server has the token in memory.
  const now = new Date();
  s = await startServer({ databaseUrl: postgres.url, clock: () => now });
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
  for (let each = 0; each < 5; each += 1) strangers.push((await s.otherAccount(`other-${each}`)).token);
});
afterAll(async () => {
  await s.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const stranger = (): string => strangers.pop() ?? '';

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return [response.status, Number(response.headers.get('retry-after')) > 0, text];
}

const pause = async (headers = {}): Promise<Response> =>
  await s.rest('POST', '/api/v1/repo', { body: { org: 'acme', name: 'shop', paused: true }, headers });
const inRest = [503, true, JSON.stringify({ error: unavailable })];

describe('while PostgreSQL is stopped', () => {
  beforeAll(async () => await postgres.stop());
  afterAll(async () => {
    await start();
    await vi.waitUntil(async () => (await fetch(`${s.url}/readyz`)).ok);
  });

  it.each([
    ['reads', async () => await s.rest('GET', repo)],
    ['signs in', async () => await s.rest('GET', repo, { token: stranger() })],
    ['writes', async () => await pause()],
    ['claims an Idempotency-Key', async () => await pause({ 'idempotency-key': 'down' })],
    ['reads a page', async () => await fetch(`${s.url}/runbooks/1`, { headers: basic(s.token) })],
  ])('a request of REST that %s is answered 503', async (_what, ask) => {
    expect(await answerOf(await ask())).toEqual(inRest);
  });

  it('GraphQL shows the outage by the code UNAVAILABLE', async () => {
    const answer = await s.graphql('{ repository(owner: "acme", name: "shop") { id } }');
    expect(answer.errors).toMatchObject([
      { message: unavailable, extensions: { code: 'UNAVAILABLE', retryAfterSec: 2 } },
    ]);
    const unknown = await s.graphql('{ repository(owner: "acme", name: "shop") { id } }', {}, stranger());
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    expect(unknown.errors).toMatchObject([{ message: unavailable, extensions: { code: 'UNAVAILABLE' } }]);
  });

  it('git gets 503', async () => {
    const url = `${s.url}/git/acme/shop.git/info/refs?service=git-upload-pack`;
    expect(await answerOf(await fetch(url, { headers: basic(stranger()) }))).toEqual([503, true, `${unavailable}\n`]);
  });

  it('/readyz names the database, and /metrics shows what is still known', async () => {
    const refused = await fetch(`${s.url}/readyz`);
    expect([refused.status, await refused.json()]).toEqual([
      503,
      {
        status: 'unavailable',
        error: 'The database does not answer.',
        parts: [{ name: 'database', ready: false, message: 'The database does not answer.' }],
      },
    ]);
    const metrics = metricsOf(await (await fetch(`${s.url}/metrics`)).text());
    expect(metrics).toMatchObject({ 'interlock_part_ready{part="database"}': 0, interlock_queues_halted: Number.NaN });
  });

  it('a socket is closed with a code after which clients connect again', async () => {
    const socket = new WebSocket(`${s.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${stranger()}` } }));
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1013);
  });
});

it('a request whose session PostgreSQL ends is answered 503, and its Idempotency-Key is free for the next try', async () => {
  const key = { 'idempotency-key': 'ended' };
  await asOwner(async (client) => {
    await client.query('begin');
    await client.query('select 1 from repository for update');
    const asked = pause(key);
    const waiting = 'select 1 from pg_locks where not granted';
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
    expect(await answerOf(await asked)).toEqual(inRest);
    await client.query('rollback');
  });
  await expect.poll(async () => (await pause(key)).status).toBe(200);
  expect((await pause(key)).headers.get('idempotent-replayed')).toBe('true');
});

function basic(token: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` };
}
