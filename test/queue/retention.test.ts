// Old rows and files are deleted, and every landing can still be proven.
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRetention, retainedKinds } from '../../src/domain/retention/catalogue.ts';
import { sequenceEvents } from '../../src/modules/events/index.ts';
import { findOverdue } from '../../src/modules/health/index.ts';
import { growthText, measureGrowth } from '../../src/growth.ts';
import { deleteOldRecords } from '../../src/retention.ts';
import { createMetrics } from '../../src/platform/metrics/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { verified } from './stories.ts';

const day = 24 * 3_600_000;
const inDays = (days: number): Date => new Date(Date.now() + days * day);

let w: World;
let owner: pg.Client;
beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  const number = await w.open('feature', { 'feature.txt': 'new\n' });
  await w.commit('main', { 'other.txt': 'other\n' });
  await w.queue(number);
  await w.settled(number);
  await sequenceEvents(w.service.ports.db);
  owner = new pg.Client({ connectionString: w.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await w[Symbol.asyncDispose]();
});

async function count(rows: string): Promise<number> {
  const { rows: found } = await owner.query<{ count: number }>(`select count(*)::int as count from ${rows}`);
  return found[0]?.count ?? 0;
}

async function deleteAt(now: Date, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { db, log } = w.service.ports;
  const metrics = createMetrics();
  await deleteOldRecords({
    db,
    log,
    meter: metrics.meter,
    clock: () => now,
    dataDir: w.dataDir,
    retention: readRetention(env),
  });
  return (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('interlock_retention'))
    .join('\n');
}

it('deletes nothing that is younger than its setting', async () => {
  const before = [await count('event'), await count('intent'), await count('queue_past')];
  expect(await deleteAt(new Date())).toBe('');
  expect([await count('event'), await count('intent'), await count('queue_past')]).toEqual(before);
});

it('leaves out a kind that another process works on', async () => {
  const before = await count('queue_past');
  await owner.query("select pg_advisory_lock(x'6b656570'::int, hashtext('history'))");
  await deleteAt(inDays(401), { KEEP_EVENTS_DAYS: 'forever', KEEP_INTENTS_DAYS: 'forever' });
  expect(await count('queue_past')).toBe(before);
  await owner.query("select pg_advisory_unlock(x'6b656570'::int, hashtext('history'))");
});

it('deletes what is old and counts it, and proofs still hold', async () => {
  const folder = join(w.dataDir, 'logs', w.ctx.accountId);
  await mkdir(folder, { recursive: true });
  for (const [id, days] of [
    [900_001, 800],
    [900_002, -800],
  ] as const) {
    await writeFile(join(folder, `${id}.log`), 'output');
    await utimes(join(folder, `${id}.log`), inDays(-days), inDays(-days));
  }
  const metrics = await deleteAt(inDays(500));
  expect(metrics).toMatch(/interlock_retention_deleted_total\{what="events"\} [1-9]/);
  expect(metrics).toMatch(/interlock_retention_deleted_total\{what="check_output"\} [1-9]/);
  for (const gone of [
    'event',
    'queue_past',
    'pull_request_past',
    "intent where kind <> 'land' and kind <> 'conclude_pull_request'",
  ])
    expect([gone, await count(gone)]).toEqual([gone, 0]);
  expect(await count("intent where kind = 'land'")).toBe(1);
  expect([existsSync(join(folder, '900001.log')), existsSync(join(folder, '900002.log'))]).toEqual([false, true]);
  expect(await verified(w)).toMatchObject({ grades: { exact: 1 }, failures: [] });
});

const grown = {
  'postgres/data/base': 1_000,
  'temporal.db': 200,
  'temporal.db-wal': 50,
  'interlock.log': 1,
  'interlock.log.1': 2,
  'postgres.log': 4,
  'temporal.log': 30,
};

it('shows what takes up space, and which kind is older than its setting', async () => {
  const growth = async (days: number) =>
    await measureGrowth({
      db: w.service.ports.db,
      dataDir: w.dataDir,
      retention: readRetention({ KEEP_FREEZES_DAYS: 'forever' }),
      now: inDays(days),
    });
  await owner.query(
    `insert into idempotency_key (account_id, user_id, operation, key, request_digest, claimed_by)
     select account_id, id, 'op', 'key', 'digest', 1 from account_user limit 1`,
  );
  const young = await growth(0);
  expect(young.kinds.map(({ kind }) => kind)).toEqual(retainedKinds);
  expect(young.kinds.filter(({ isLate }) => isLate)).toEqual([]);
  expect(young.tables.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(young.folders.find(({ name }) => name === 'git')?.bytes).toBeGreaterThan(1_000);
  await mkdir(join(w.dataDir, 'postgres', 'data'), { recursive: true });
  for (const [name, bytes] of Object.entries(grown)) await writeFile(join(w.dataDir, name), 'x'.repeat(bytes));
  const sizes = Object.fromEntries((await growth(0)).folders.map(({ name, bytes }) => [name, bytes]));
  expect(sizes).toMatchObject({ postgres: 1_000, 'temporal.db': 250, '*.log': 37 });
  const late = await growth(3);
  expect(late.kinds.filter(({ isLate }) => isLate).map(({ kind }) => kind)).toEqual(['idempotency_keys']);
  const text = growthText(late, inDays(3));
  expect(text).toMatch(/3 days {2}idempotency_keys: kept 1 day\. The oldest one is older than that: the log says why/);
  expect(text).toMatch(/none {2}freezes: kept for ever \(KEEP_FREEZES_DAYS\)/);
});

it('a kind that nobody has looked through in time is overdue, until it is looked through', async () => {
  expect(await findOverdue(w.service.ports.db, new Date())).toEqual([]);
  await owner.query(`update retention_due set due_at = now() - interval '1 hour' where kind = 'events'`);
  expect(await findOverdue(w.service.ports.db, new Date())).toMatchObject([{ what: 'retention', count: 1 }]);
  await deleteAt(new Date());
  expect(await findOverdue(w.service.ports.db, new Date())).toEqual([]);
  await deleteAt(new Date(), { KEEP_EVENTS_DAYS: 'forever' });
  expect(await count('retention_due')).toBe(retainedKinds.length - 2);
});
