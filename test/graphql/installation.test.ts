// What the installation says about itself: its version, whether its parts work, and where Temporal's UI shows its
// workflows.
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalHealth } from '../../src/domain/health/parts.ts';
import { readVersion } from '../../src/platform/project-root.ts';
import { temporalLinks, temporalUiOf, watchTemporal } from '../../src/temporal-watch.ts';
import { seedRunbook } from '../runbooks/runbook-rows.ts';
import { partsOfWorker, serveWorkerHealth } from '../../src/worker-health.ts';
import { taskQueue } from '../../workflows/queue/messages.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { testTemporal } from '../support/temporal.ts';
import { seed } from './seed.ts';

const ui = 'https://temporal.test/namespaces/interlock/workflows';
let health: TemporalHealth | null = null;
let s: TestServer;
beforeAll(async () => {
  s = await startServer({ temporal: { ...temporalLinks(ui), health: () => health } });
});
afterAll(async () => await s.close());

interface Asked {
  readonly installation: {
    readonly version: string;
    readonly temporalUi: string | null;
    readonly parts: readonly { readonly name: string; readonly well: boolean; readonly since: string | null }[];
  };
}

async function ask(token = s.token): Promise<Asked['installation']> {
  const { data } = await s.graphql<Asked>(
    '{ installation { version temporalUi parts { name well since } } }',
    {},
    token,
  );
  return data.installation;
}

describe('the installation', () => {
  it('shows its version and its Temporal UI to every token', async () => {
    const { version, temporalUi } = await ask(await s.tokenWith(['preview:register']));
    expect([version, temporalUi]).toEqual([readVersion(), ui]);
  });

  it('leaves out parts of unknown health, and says since when a part does not work', async () => {
    health = null;
    expect((await ask()).parts).toEqual([{ name: 'DATABASE', well: true, since: null }]);
    health = { silentSince: null, idleSince: new Date('2026-01-02T03:04:05Z') };
    expect((await ask()).parts).toEqual([
      { name: 'DATABASE', well: true, since: null },
      { name: 'TEMPORAL', well: true, since: null },
      { name: 'WORKER', well: false, since: '2026-01-02T03:04:05.000Z' },
    ]);
  });

  it("shows only the overdue work of the caller's account", async () => {
    health = null;
    const other = await s.otherAccount();
    const owner = new pg.Client({ connectionString: s.databaseUrl });
    await owner.connect();
    // The foreign key of the delivery is not checked, so it needs no endpoint.
    await owner.query("set session_replication_role = 'replica'");
    await owner.query(
      `insert into webhook_delivery (account_id, endpoint_id, action, lane, body, created_at, message_id, leased_until)
       values ($1, 1, 'opened', '1', '{}', now(), '1', timestamptz '2026-01-02T03:04:05Z')`,
      [other.accountId],
    );
    await owner.end();
    expect((await ask(other.token)).parts).toEqual([
      { name: 'DATABASE', well: true, since: null },
      { name: 'WEBHOOKS', well: false, since: '2026-01-02T03:04:05.000Z' },
    ]);
    expect((await ask()).parts).toEqual([{ name: 'DATABASE', well: true, since: null }]);
  });
});

describe('/readyz', () => {
  const silent = 'Temporal does not answer: nothing is planned, built or landed until Temporal answers.';
  const without = [{ name: 'temporal', ready: false, message: silent }];

  it('of a server stays 200 without Temporal and says so; with ?deep it is 503', async () => {
    health = { silentSince: new Date(), idleSince: null };
    const usual = await fetch(`${s.url}/readyz`);
    expect([usual.status, await usual.json()]).toEqual([200, { status: 'ready', parts: without }]);
    const deep = await fetch(`${s.url}/readyz?deep`);
    expect([deep.status, await deep.json()]).toEqual([
      503,
      { status: 'unavailable', error: silent, parts: [{ name: 'database', ready: true }, ...without] },
    ]);
    health = { silentSince: null, idleSince: null };
    expect((await fetch(`${s.url}/readyz?deep`)).status).toBe(200);
  });

  it('of a worker is 503 without Temporal, and while the worker stops', async () => {
    const { db, clock, publicUrl, log } = s.ports;
    const watch = watchTemporal({ address: '127.0.0.1:1', namespace: 'none', ui: null, log, clock });
    let isRunning = true;
    const { metricsPage: page } = s.service;
    const worker = await serveWorkerHealth({
      port: 0,
      host: '127.0.0.1',
      parts: async () => await partsOfWorker(db, { isRunning, temporal: watch.health() }),
      overdue: () => [],
      invariants: () => null,
      metrics: { page, token: null, publicUrl, temporal: watch.health },
      log,
    });
    const read = async (): Promise<unknown> => {
      const answer = await fetch(`${worker.url}/readyz`);
      return [answer.status, await answer.json()];
    };
    expect(await read()).toEqual([200, { status: 'ready' }]);
    watch.start();
    await expect.poll(read).toEqual([503, { status: 'unavailable', error: silent, parts: without }]);
    isRunning = false;
    expect(await read()).toMatchObject([503, { error: `${silent} The worker is stopping.` }]);
    await worker.close();
    await watch.stop();
  });
});

it('each queue, batch and runbook has the URL of its workflow', async () => {
  const { repositoryId, queueId, batchId, landedBatchId } = await seed(s);
  const { id: runbookId, number } = await seedRunbook(s, { repositoryId });
  const { data } = await s.graphql<Record<string, unknown>>(
    `query ($number: Int!) {
       repository(owner: "acme", name: "shop") {
         queue(baseBranch: "main") { temporalUrl batches(first: 2) { nodes { temporalUrl } } } }
       runbook(number: $number) { temporalUrl } }`,
    { number },
  );
  const url = (kind: string, id: string): { temporalUrl: string } => ({
    temporalUrl: `${ui}/${encodeURIComponent(`${kind}:${s.accountId}:${id}`)}`,
  });
  expect(data).toEqual({
    repository: {
      queue: { ...url('queue', queueId), batches: { nodes: [url('batch', batchId), url('batch', landedBatchId)] } },
    },
    runbook: url('runbook', runbookId),
  });
});

describe('the links into the Temporal UI', () => {
  it.each([
    ['a deployment', { deploymentId: '7', isRollback: false }, 'deployment%3A1%3A7'],
    ['a rollback', { deploymentId: '7', isRollback: true }, 'rollback%3A1%3A7'],
    ['a verification', { verificationId: '7' }, 'verification%3A1%3A7'],
  ] as const)('name the workflow of %s', (_what, row, path) => {
    expect(temporalLinks(ui).urlOf({ accountId: '1', ...row })).toBe(`${ui}/${path}`);
    expect(temporalLinks(null).urlOf({ accountId: '1', ...row })).toBeNull();
  });

  it.each([
    [null, '', null],
    [
      'http://127.0.0.1:8233/namespaces/interlock/workflows',
      '',
      'http://127.0.0.1:8233/namespaces/interlock/workflows',
    ],
    [null, 'https://temporal.example.com/', 'https://temporal.example.com/namespaces/shop/workflows'],
    [null, 'https://example.com/temporal', 'https://example.com/temporal/namespaces/shop/workflows'],
    [null, ui, ui],
  ])('begin at the embedded UI %j or at TEMPORAL_UI_URL=%j', (uiUrl, named, expected) => {
    expect(temporalUiOf({ uiUrl, namespace: 'shop' }, { TEMPORAL_UI_URL: named })).toBe(expected);
  });

  it.each(['temporal.example.com', 'javascript:alert(1)', 'temporal.example.com:8080'])(
    'refuse TEMPORAL_UI_URL=%s',
    (named) => {
      expect(() => temporalUiOf({ namespace: 'shop' }, { TEMPORAL_UI_URL: named })).toThrow(
        'TEMPORAL_UI_URL must be an http or https address',
      );
    },
  );
});

it('a Temporal that never answered is silent since the first look, and the log says so', async () => {
  const at = new Date('2026-01-02T03:04:05Z');
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const watch = watchTemporal({ address: '127.0.0.1:1', namespace: 'shop', ui: null, log, clock: () => at });
  watch.start();
  await expect.poll(() => watch.health()).toEqual({ silentSince: at, idleSince: null });
  expect(lines).toEqual([expect.stringContaining('Temporal does not answer: nothing is planned')]);
  await watch.stop();
});

it('a worker that asks for work is seen also if the clock of Temporal is five minutes behind', async () => {
  const { address, namespace } = testTemporal();
  const connection = await Connection.connect({ address });
  const askForWork = async (): Promise<void> => {
    const request = { namespace, taskQueue: { name: taskQueue }, identity: 'a worker' };
    // There is no work, so the request ends with its deadline.
    await connection
      .withDeadline(Date.now() + 5_000, async () => await connection.workflowService.pollWorkflowTaskQueue(request))
      .catch(() => {});
  };
  await askForWork();
  const watch = watchTemporal({
    address,
    namespace,
    ui: null,
    log: pino({ level: 'silent' }),
    clock: () => new Date(Date.now() + 300_000),
  });
  watch.start();
  await expect.poll(() => watch.health()).toEqual({ silentSince: null, idleSince: expect.any(Date) });
  await askForWork();
  await expect.poll(() => watch.health()).toEqual({ silentSince: null, idleSince: null });
  await watch.stop();
  await connection.close();
});
