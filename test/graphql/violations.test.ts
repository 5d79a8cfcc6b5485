// A violation of an invariant is shown by every process: at /readyz?deep and in a metric.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { invariantNames, type InvariantName } from '../../src/domain/health/invariants.ts';
import { serveWorkerHealth } from '../../src/worker-health.ts';
import { metricsOf } from '../support/metrics.ts';
import { startServer, type TestServer } from '../support/server.ts';

let now = new Date();
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ clock: () => now, showsInvariants: true });
});
afterAll(async () => await s.close());

/** Rows of a pull request that others passed more often than the planner allows. */
async function plantStarvation(): Promise<void> {
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
  await s.rows(
    `with q as (insert into queue (account_id, repository_id, base_branch, waiting)
       select account_id, id, 'main', 1 from repository returning account_id, repository_id, id)
     insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch,
       base_branch, head_sha, url, status, rank, queued_at, created_at, times_passed)
     select account_id, repository_id, id, 7, 'Change', 'ada', 'Ada', 'ada@example.test', 'topic', 'main', repeat('a', 40), '', 'queued', 1, $1, $1, 9
     from q`,
    [now],
  );
}

async function readiness(url: string, path = '/readyz?deep'): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, body: await answer.json() };
}

async function violationsAt(url: string): Promise<Record<InvariantName, number | undefined>> {
  const metrics = metricsOf(await (await fetch(`${url}/metrics`)).text());
  const valueOf = (name: InvariantName): number | undefined =>
    metrics[`interlock_invariant_violations{invariant="${name}"}`];
  return Object.fromEntries(invariantNames.map((name) => [name, valueOf(name)])) as Record<
    InvariantName,
    number | undefined
  >;
}

const none = Object.fromEntries(invariantNames.map((name) => [name, 0]));
const database = { name: 'database', ready: true };

it('a server says that all invariants hold', async () => {
  await expect
    .poll(async () => await readiness(s.url))
    .toEqual({ status: 200, body: { status: 'ready', parts: [database, { name: 'invariants', ready: true }] } });
  expect(await violationsAt(s.url)).toEqual(none);
});

it('a server names the invariant that does not hold, and still answers requests', async () => {
  await plantStarvation();
  now = new Date(now.getTime() + 60_000);
  // A process compares when it starts, and then once a minute.
  const { url } = await s.another();
  const message =
    'An invariant does not hold: no_starvation. Run the doctor without a repository, and report its output.';
  const invariants = { name: 'invariants', ready: false, message };
  await expect
    .poll(async () => await readiness(url))
    .toEqual({
      status: 503,
      body: { status: 'unavailable', error: message, parts: [database, invariants] },
    });
  expect(await readiness(url, '/readyz')).toEqual({ status: 200, body: { status: 'ready', parts: [invariants] } });
  expect(await violationsAt(url)).toEqual({ ...none, no_starvation: 1 });
});

it('another process reads the violations that were found in the same minute', async () => {
  const { url } = await s.another();
  await expect.poll(async () => (await violationsAt(url)).no_starvation).toBe(1);
  expect((await readiness(url)).status).toBe(503);
});

it('a worker names the invariant that does not hold, and is ready to work', async () => {
  const { publicUrl, log } = s.ports;
  const worker = await serveWorkerHealth({
    port: 0,
    host: '127.0.0.1',
    parts: async () => [{ name: 'database', well: true, since: null, sentence: null }],
    overdue: () => [],
    invariants: () => ({
      violations: [{ invariant: 'landed_once', account: s.accountId, sentence: '#7 is merged, but has 2 landings.' }],
      uncompared: [],
      endedAt: now,
      isOutdated: false,
    }),
    metrics: { page: s.service.metricsPage, token: null, publicUrl, temporal: () => null },
    log,
  });
  try {
    const { status, body } = await readiness(worker.url);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      error: expect.stringContaining('An invariant does not hold: landed_once.') as string,
    });
    expect((await readiness(worker.url, '/readyz')).status).toBe(200);
  } finally {
    await worker.close();
  }
});
