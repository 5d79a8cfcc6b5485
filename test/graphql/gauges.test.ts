// The gauges of /metrics that are read from the database: rows are planted, and the page has exactly their numbers. The
// loops of the service do not run, because they would handle the rows, and the clock stands still.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InvariantReport } from '../../src/domain/health/invariants.ts';
import { createMetricsPage, watchOverdue } from '../../src/modules/health/index.ts';
import { createService, type Service } from '../../src/service.ts';
import { serveWorkerHealth } from '../../src/worker-health.ts';
import { takeDatabase } from '../support/kept-databases.ts';
import { metricsOf } from '../support/metrics.ts';
import { expressions, readExpression } from '../support/monitoring.ts';
import { sha } from './seed.ts';

const now = new Date('2031-05-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
const account = { account_id: 1 };

let database: Awaited<ReturnType<typeof takeDatabase>>;
let dataDir = '';
let owner: pg.Client;
let service: Service;
beforeAll(async () => {
  database = await takeDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'interlock-gauges-'));
  service = await createService({
    databaseUrl: database.url,
    database: database.database,
    dataDir,
    publicUrl: 'http://localhost:4000',
    log: pino({ level: 'fatal' }),
    wake: async () => {},
    clock: () => now,
  });
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query("set session_replication_role = 'replica'");
});
afterAll(async () => {
  await owner.end();
  await service.stop();
  await database.drop();
  await rm(dataDir, { recursive: true });
});

/** Inserts a row. Foreign keys are not checked. */
async function plant(table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row);
  const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;
  await owner.query(text, Object.values(row));
}

/** Reads /metrics, as the port of a worker serves the page. The page has not been read before. */
async function readPage(report: InvariantReport | null = null): Promise<string> {
  const overdue = watchOverdue(service.ports);
  await overdue.look();
  const { metrics, ports } = service;
  const page = createMetricsPage({ metrics, ...ports, overdue: overdue.found, invariants: () => report });
  const health = await serveWorkerHealth({
    port: 0,
    host: '127.0.0.1',
    parts: async () => [],
    overdue: overdue.found,
    invariants: () => null,
    metrics: { page, token: null, publicUrl: 'http://127.0.0.1:4001', temporal: () => null },
    log: service.ports.log,
  });
  try {
    return await (await fetch(`${health.url}/metrics`)).text();
  } finally {
    await health.close();
  }
}

async function plantEvents(): Promise<void> {
  // The events with a position are known to subscribers. Of the other events, the oldest one counts.
  await plant('event', { ...account, action: 'opened', at: ago(500), position: 1 });
  await plant('event', { ...account, action: 'opened', at: ago(90) });
  await plant('event', { ...account, action: 'opened', at: ago(30) });
  for (const [account_id, head, cursor] of [
    [1, 25, 20],
    [2, 40, 28],
    [3, 90, 90],
  ]) {
    await plant('event_head', { account_id, position: head });
    await plant('webhook_cursor', { account_id, position: cursor });
  }
}

async function plantDeliveries(): Promise<void> {
  const delivery = { ...account, endpoint_id: 1, action: 'merged', lane: 'a', body: '{}' };
  const states = [
    ['pending', 70],
    ['pending', 20],
    ['retrying', 900],
    ['retrying', 800],
    ['retrying', 700],
    ['succeeded', 4_000],
  ] as const;
  for (const [at, [state, seconds]] of states.entries())
    await plant('webhook_delivery', { ...delivery, message_id: String(at), state, created_at: ago(seconds) });
}

async function plantHints(): Promise<void> {
  const hint = { ...account, repository_id: 1, kind: 'push' };
  await plant('host_hint', { ...hint, subject: 'refs/heads/main', due_at: ago(40) });
  await plant('host_hint', { ...hint, subject: 'refs/heads/other', due_at: ago(10) });
  await plant('host_hint', { ...hint, subject: 'refs/heads/later', due_at: ago(-60) });
}

async function plantChecks(): Promise<void> {
  const check = {
    ...account,
    repository_id: 1,
    commit: sha(1),
    ref: '',
    attempt: 1,
    command: 'true',
    timeout_sec: 600,
  };
  const running = { state: 'running', lease_owner: 'elsewhere/1/x', lease_until: ago(-60), created_at: ago(3_600) };
  await plant('local_check_run', { ...check, ...running, name: 'quick', started_at: ago(60) });
  // A run that has not ended six minutes after its limit is overdue.
  await plant('local_check_run', { ...check, ...running, name: 'stuck', started_at: ago(960) });
  for (const name of ['one', 'two', 'three'])
    await plant('local_check_run', { ...check, name, state: 'queued', created_at: ago(5) });
  await plant('local_check_run', { ...check, name: 'old', state: 'completed', created_at: ago(5) });
}

async function plantSandboxes(): Promise<void> {
  const sandbox = { ...account, kind: 'process', port: 80, expires_at: ago(-60), created_at: ago(60) };
  for (const [at, state] of ['booting', 'ready', 'ready', 'ending', 'gone'].entries())
    await plant('preview_sandbox', { ...sandbox, verification_id: at, name: `box-${at}`, slug: `box-${at}`, state });
}

const gauges = [
  'interlock_event_sequencer_lag_seconds',
  'interlock_webhook_relay_lag_events',
  'interlock_webhook_deliveries{state="pending"}',
  'interlock_webhook_deliveries{state="retrying"}',
  'interlock_webhook_oldest_pending_seconds',
  'interlock_host_inbox_events',
  'interlock_host_inbox_lag_seconds',
  'interlock_checks{state="running"}',
  'interlock_checks{state="waiting"}',
  'interlock_preview_sandboxes',
] as const;
const valuesOf = (page: Readonly<Record<string, number>>): unknown =>
  Object.fromEntries(gauges.map((name) => [name, page[name]]));
const overdueChecks = 'interlock_overdue_work{what="checks"}';

it('without rows every gauge is 0, and no work is overdue', async () => {
  const page = metricsOf(await readPage());
  expect(valuesOf(page)).toEqual(Object.fromEntries(gauges.map((name) => [name, 0])));
  expect(page[overdueChecks]).toBeUndefined();
});

it('each gauge counts the rows that wait, and has the age of the oldest of them', async () => {
  await plantEvents();
  await plantDeliveries();
  await plantHints();
  await plantChecks();
  await plantSandboxes();
  const page = metricsOf(await readPage());
  expect(valuesOf(page)).toEqual({
    interlock_event_sequencer_lag_seconds: 90,
    // The account with most events that are not deliveries yet.
    interlock_webhook_relay_lag_events: 12,
    'interlock_webhook_deliveries{state="pending"}': 2,
    'interlock_webhook_deliveries{state="retrying"}': 3,
    interlock_webhook_oldest_pending_seconds: 70,
    interlock_host_inbox_events: 3,
    interlock_host_inbox_lag_seconds: 40,
    'interlock_checks{state="running"}': 2,
    'interlock_checks{state="waiting"}': 3,
    interlock_preview_sandboxes: 4,
  });
  expect(page[overdueChecks]).toBe(1);
});

it('an invariant has a value only if it was compared lately', async () => {
  const found = (invariant: 'landed_tree' | 'line_moves') => ({ invariant, account: '1', sentence: '' });
  const report = {
    violations: [found('line_moves')],
    uncompared: [found('line_moves'), found('landed_tree')],
    endedAt: now,
    isOutdated: false,
  };
  const valueOf = async (name: string, shown: InvariantReport): Promise<number | undefined> =>
    metricsOf(await readPage(shown))[`interlock_invariant_violations{invariant="${name}"}`];
  expect(await valueOf('line_moves', report)).toBe(1);
  expect(await valueOf('landed_once', report)).toBe(0);
  expect(await valueOf('landed_tree', report)).toBeUndefined();
  expect(await valueOf('line_moves', { ...report, isOutdated: true })).toBeUndefined();
});

it('the page has every metric of Interlock that an alert or the dashboard names', async () => {
  const types = new Map(
    [...(await readPage()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]),
  );
  const named = new Set(expressions.flatMap(([, expr]) => readExpression(expr).metrics));
  const own = [...named].filter((name) => name.startsWith('interlock_'));
  expect(own.length).toBeGreaterThan(15);
  const isThere = (name: string): boolean => {
    const histogram = /^(.*)_(?:bucket|count|sum)$/.exec(name)?.[1];
    return types.has(name) || (histogram !== undefined && types.get(histogram) === 'histogram');
  };
  expect(own.filter((name) => !isThere(name))).toEqual([]);
});
