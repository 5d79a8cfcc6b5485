// Analytics are equal to a count of every single event, whatever the time zone, the range, the order in which events
// got their positions, and the processes that were killed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemContext, type Context, type Ports } from '../../src/context.ts';
import { rollUpEvents } from '../../src/modules/analytics/index.ts';
import { readAnalytics } from '../../src/modules/analytics/analytics.service.ts';
import type { Analytics } from '../../src/modules/analytics/analytics.types.ts';
import { sequenceEvents } from '../../src/modules/events/index.ts';
import { log, openWorld, terminate, type World } from '../events/world.ts';
import { seeded } from '../support/random.ts';

const now = new Date('2026-11-21T20:00:00Z');
const seed = Number(process.env['ANALYTICS_SEED'] ?? 20261121);
const random = seeded(seed);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => await world.close());

function contextOf(accountId: string): Context {
  const ports = { db: world.db, log, eventsWritten: () => {}, clock: () => now } as Partial<Ports> as Ports;
  return systemContext(ports, accountId);
}

interface Subject {
  readonly accountId: string;
  readonly repositoryId: string;
}

const codes = [null, 101, 104, 105, 106, 107, 108, 111, 112, 116];
const hourMs = 3_600_000;
const waits = ['2025-11-02T10:00:00.250Z', '2026-03-29T00:30:00.000Z', '2026-10-31T23:59:59.999Z'];

// An instant near the end of a day or a change of clocks, or anywhere in the last 500 days.
function someInstant(): Date {
  const anchors = ['2025-10-05T02:30', '2026-03-29T01:00', '2026-04-04T15:00', '2026-11-01T05:00', '2026-11-21T12:00'];
  const near = Date.parse(`${pick(anchors)}Z`) + (below(72) - 36) * hourMs + below(4 * 900_000);
  const anywhere = now.getTime() - below(500 * 24) * hourMs - below(hourMs);
  return new Date(Math.min(random() < 0.5 ? near : anywhere, now.getTime()));
}

async function writeEvents({ accountId, repositoryId }: Subject, count: number, pullRequests: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const at = someInstant();
    const since = random() < 0.1 ? null : new Date(at.getTime() - below(20_000_000)).toISOString();
    switch (below(4)) {
      case 0:
      case 1: {
        // A merge by the host is reported later than it happened.
        const mergedAt = random() < 0.8 ? at : new Date(at.getTime() - below(48) * hourMs);
        const payload = { mergedAt, mergedByQueue: random() < 0.8, queuedAt: since, syncCount: below(5) };
        return { at, action: 'merged', payload };
      }
      case 2:
        // Several events have the same wait, like a pull request that joins a second batch. The wait counts once.
        return { at, action: 'added_to_batch', payload: { preconditionsHeldAt: random() < 0.4 ? pick(waits) : since } };
      default: {
        const action = pick(['blocked', 'dequeued', 'queued', 'batch_merged']);
        return { at, action, payload: { statusCode: action === 'dequeued' ? 104 : pick(codes) } };
      }
    }
  });
  await world.owner.query(
    `insert into event (account_id, repository_id, pull_request_id, action, payload, at)
     select $1, $2::bigint, $2::bigint * 10000 + floor(random() * $4), e ->> 'action', e -> 'payload', (e ->> 'at')::timestamptz from jsonb_array_elements($3::jsonb) e`,
    [accountId, repositoryId, JSON.stringify(events), pullRequests],
  );
}

async function write(subject: Subject, count: number, pullRequests = 3): Promise<void> {
  await writeEvents(subject, count, pullRequests);
  await sequenceEvents(world.db);
}

interface Counted {
  readonly date: string;
  readonly action: string;
  readonly byQueue: boolean | null;
  readonly code: number | null;
  readonly lastedMs: number | null;
  readonly syncs: number | null;
}

type Statistics = Omit<Analytics, 'days' | 'repositoryId' | 'timezone'>;

/** Counts the same from the events themselves. PostgreSQL determines the dates, and this code counts. */
async function counted(
  { accountId, repositoryId }: Subject,
  start: string,
  end: string,
  zone: string,
): Promise<Statistics> {
  const { rows } = await world.owner.query<Counted>(
    `with told as (
       select id, action, payload, pull_request_id, case when action = 'merged' then (payload ->> 'mergedAt')::timestamptz else at end as at
       from event where account_id = $1 and repository_id = $2
     )
     select to_char(at at time zone $3, 'YYYY-MM-DD') as date, action, (payload ->> 'mergedByQueue')::boolean as "byQueue",
       (payload ->> 'statusCode')::int as code, (payload ->> 'syncCount')::int as syncs,
       (extract(epoch from at - coalesce(payload ->> 'queuedAt', payload ->> 'preconditionsHeldAt')::timestamptz) * 1000)::float8 as "lastedMs"
     from told where not exists (select from told o where o.action = 'added_to_batch' and told.action = 'added_to_batch' and o.id < told.id
       and o.pull_request_id = told.pull_request_id and o.payload = told.payload)`,
    [accountId, repositoryId, zone],
  );
  const dates: string[] = [];
  for (let day = Date.parse(start); day <= Date.parse(end); day += 24 * hourMs)
    dates.push(new Date(day).toISOString().slice(0, 10));
  const on = (date: string, ...actions: string[]): Counted[] =>
    rows.filter((row) => row.date === date && actions.includes(row.action));
  const seconds = ({ lastedMs }: Counted): number[] => (lastedMs === null ? [] : [Math.max(lastedMs, 0) / 1000]);
  return {
    timeInQueue: dates.flatMap((date) => distribution(date, on(date, 'merged').flatMap(seconds))),
    waitTimesToQueue: dates.flatMap((date) => distribution(date, on(date, 'added_to_batch').flatMap(seconds))),
    syncFrequency: dates.flatMap((date) =>
      distribution(
        date,
        on(date, 'merged').map(({ syncs }) => syncs ?? 0),
      ),
    ),
    mergequeueUsage: dates.map((date) => ({
      date,
      total: on(date, 'merged').length,
      mergedByBot: on(date, 'merged').filter(({ byQueue }) => byQueue).length,
    })),
    blockedReason: dates.map((date) => {
      const stops = on(date, 'blocked', 'dequeued').map(({ code }) => code ?? 0);
      const of = (...those: number[]): number => stops.filter((code) => those.includes(code)).length;
      const [mergeConflict, ciFailure, manualDequeue, ciTimeout] = [of(106), of(107), of(104, 105), of(111, 112)];
      const other = stops.length - mergeConflict - ciFailure - manualDequeue - ciTimeout;
      return { date, mergeConflict, ciFailure, manualDequeue, ciTimeout, other };
    }),
  };
}

function distribution(date: string, samples: readonly number[]): Analytics['timeInQueue'] {
  if (samples.length === 0) return [];
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = (percent: number): number => sorted[Math.ceil((percent * sorted.length) / 100) - 1] as number;
  const avg = sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length;
  return [{ date, min: rank(0.001), avg, p50: rank(50), p75: rank(75), p90: rank(90), p100: rank(100) }];
}

// Separates the means, because Interlock rounds a mean to three decimals, and the mean of this test is not rounded.
function withoutMeans(analytics: Statistics): { rest: unknown; means: number[] } {
  const means: number[] = [];
  const rest = JSON.parse(
    JSON.stringify(analytics, (key, value: unknown) => (key === 'avg' ? void means.push(Number(value)) : value)),
  );
  return { rest, means };
}

async function expectCounted(subject: Subject): Promise<void> {
  const zone = pick([
    'UTC',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    'Europe/Berlin',
    'America/New_York',
    'Pacific/Chatham',
    'Pacific/Kiritimati',
    'America/St_Johns',
    'Pacific/Pago_Pago',
  ]);
  const last = Date.parse('2026-11-22') - below(400) * 24 * hourMs;
  const end = new Date(random() < 0.4 ? Date.parse('2026-11-22') : last).toISOString().slice(0, 10);
  const start = new Date(Date.parse(end) - below(366) * 24 * hourMs).toISOString().slice(0, 10);
  const {
    days: _days,
    repositoryId: _of,
    timezone: _zone,
    ...statistics
  } = await readAnalytics(contextOf(subject.accountId), { id: subject.repositoryId }, { start, end, timezone: zone });
  const read = withoutMeans(statistics);
  const expected = withoutMeans(await counted(subject, start, end, zone));
  const label = `seed ${seed}: ${zone}, ${start} to ${end}`;
  expect(read.rest, label).toEqual(expected.rest);
  for (const [n, mean] of expected.means.entries())
    expect(Math.abs((read.means[n] ?? Number.NaN) - mean), label).toBeLessThan(0.0006);
}

it('analytics equal a count of the events, for any zone and range, while events still arrive', {
  timeout: 120_000,
}, async () => {
  const accountId = await world.account();
  const subjects = [
    { accountId, repositoryId: await world.repository(accountId) },
    { accountId, repositoryId: await world.repository(accountId) },
  ];
  const other = await world.account();
  subjects.push({ accountId: other, repositoryId: await world.repository(other) });
  for (let round = 0; round < 12; round += 1) {
    for (const subject of subjects) await write(subject, round === 0 ? 400 : 40);
    await rollUpEvents(world.db);
    for (const subject of subjects) {
      await expectCounted(subject);
      await expectCounted(subject);
    }
  }
  const kept = await world.owner.query('select 1 from analytics_day');
  expect(kept.rowCount).toBeGreaterThan(100);
});

it('each event is counted once if several processes count at once and some sessions are killed', {
  timeout: 120_000,
}, async () => {
  const accountId = await world.account();
  const subject = { accountId, repositoryId: await world.repository(accountId) };
  const processes = [await world.connect(), await world.connect(), await world.connect()];
  let killed = 0;
  for (let round = 0; round < 6; round += 1) {
    await write(subject, 4_000, 1_000);
    const isKilling = round % 2 === 1;
    // The process that counts waits for this lock, so that its session is killed in the middle of its work.
    if (isKilling) await world.owner.query('begin; lock table analytics_bucket in exclusive mode');
    const running = processes.map(async (process) => await rollUpEvents(process).catch(() => -1));
    if (isKilling) {
      const waiting = async (): Promise<number | null> =>
        (await world.owner.query('select from pg_locks where not granted')).rowCount;
      await expect.poll(waiting).toBeGreaterThan(0);
      await terminate(world, 'interlock-system');
      await world.owner.query('commit');
    }
    killed += (await Promise.all(running)).filter((taken) => taken === -1).length;
  }
  expect(killed).toBeGreaterThanOrEqual(3);
  // Rolls up until no event is left. The sessions of the other processes may have been ended too.
  const survivor = await world.connect();
  while ((await rollUpEvents(survivor)) > 0);
  const [total] = (
    await world.owner.query(
      `select sum(merged)::int as merged, sum(cardinality(syncs))::int as syncs,
         sum(merge_conflict + ci_failure + manual_dequeue + ci_timeout + other)::int as stops,
         (select count(*)::int from event where account_id = $1 and action = 'merged') as "mergedEvents",
         (select count(*)::int from event where account_id = $1 and action in ('blocked', 'dequeued')) as "stopEvents"
       from analytics_bucket where account_id = $1`,
      [accountId],
    )
  ).rows as Record<string, number>[];
  expect(total).toMatchObject({
    merged: total?.['mergedEvents'],
    syncs: total?.['mergedEvents'],
    stops: total?.['stopEvents'],
  });
});

it('events of a repository that does not exist are passed over, and an account that fails does not hold up others', async () => {
  const [erased, failing, other] = [await world.account(), await world.account(), await world.account()];
  const write = async (accountId: string, repositoryId: string, payload: object): Promise<void> =>
    void (await world.owner.query(
      `insert into event (account_id, repository_id, action, payload, at) values ($1, $2, 'merged', $3, now())`,
      [accountId, repositoryId, payload],
    ));
  await write(erased, '999999', {});
  await write(failing, await world.repository(failing), { mergedAt: 'never' });
  await write(other, await world.repository(other), {});
  await sequenceEvents(world.db);
  await expect(rollUpEvents(world.db)).rejects.toThrow('The events of an account could not be counted.');
  const { rows } = await world.owner.query(
    `select h.account_id as id, coalesce(p.position, 0) = h.position as "isDone",
       (select coalesce(sum(merged), 0)::int from analytics_bucket b where b.account_id = h.account_id) as merged
     from event_head h left join analytics_progress p using (account_id) where h.account_id = any($1::bigint[]) order by 1`,
    [[erased, failing, other]],
  );
  expect(rows).toEqual([
    { id: erased, isDone: true, merged: 0 },
    { id: failing, isDone: false, merged: 0 },
    { id: other, isDone: true, merged: 1 },
  ]);
  await world.owner.query(`update event set payload = '{}' where account_id = $1`, [failing]);
  await rollUpEvents(world.db);
});

it('only days with events are stored, whichever days and zones are asked for', async () => {
  const accountId = await world.account();
  const repositoryId = await world.repository(accountId);
  const ctx = contextOf(accountId);
  await world.owner.query(
    `insert into event (account_id, repository_id, action, payload, at) values ($1, $2, 'merged', '{}', '2026-11-10T12:00:00Z')`,
    [accountId, repositoryId],
  );
  await sequenceEvents(world.db);
  await rollUpEvents(world.db);
  for (const timezone of ['UTC', 'Asia/Tokyo', 'America/Lima'])
    for (const [start, end] of [
      ['1999-01-01', '1999-12-31'],
      ['2026-11-01', '2026-11-20'],
    ] as const) {
      const { mergequeueUsage } = await readAnalytics(ctx, { id: repositoryId }, { start, end, timezone });
      expect(mergequeueUsage).toHaveLength(start === '1999-01-01' ? 365 : 20);
      expect(mergequeueUsage.filter(({ total }) => total > 0)).toHaveLength(start === '1999-01-01' ? 0 : 1);
    }
  const stored = await world.owner.query('select 1 from analytics_day where account_id = $1', [accountId]);
  expect(stored.rowCount).toBe(3);
});
