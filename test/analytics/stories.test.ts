import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { rollUpEvents } from '../../src/modules/analytics/index.ts';
import { readDailyBuilds, readFailedChecks } from '../../src/modules/analytics/builds.reads.ts';
import { readHoursOfDay } from '../../src/modules/analytics/analytics.reads.ts';
import { readAnalytics } from '../../src/modules/analytics/analytics.service.ts';
import { appendEvents, sequenceEvents } from '../../src/modules/events/index.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { judgedByBuildsAlone } from '../queue/stories.ts';
import { parallel, serial, world, type World } from '../support/world.ts';

async function today(w: World) {
  const { db } = w.service.ports;
  await sequenceEvents(db);
  await rollUpEvents(db);
  const date = new Date().toISOString().slice(0, 10);
  // Includes yesterday, because the story may have started before midnight.
  const start = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
  const read = await readAnalytics(w.ctx, { id: w.repositoryId }, { start, end: date });
  const sum = (key: string, rows: readonly object[]): number =>
    rows.reduce((total, row) => total + Number((row as Record<string, unknown>)[key]), 0);
  return { read, sum };
}

it('a day in parallel mode shows what merged, how long it waited, and why other pull requests did not merge', async () => {
  await using w = await world({ configuration: `${parallel({ builds: 2, batch: 1 })}${judgedByBuildsAlone}` });
  const good = await w.open('good', { 'good.txt': 'good\n' });
  const bad = await w.open('bad', { bad: 'bad\n' });
  const gone = await w.open('gone', { 'gone.txt': 'gone\n' });
  // The pull requests are behind the base branch, so they are built. A green head on the tip would land without a
  // build.
  await w.commit('main', { 'other.txt': 'other\n' });
  await w.queue(gone);
  await w.dequeue(gone);
  await w.queue(good, bad);
  await w.settled(good, bad);
  await w.queue(bad);
  await w.settled(bad);
  const { read, sum } = await today(w);
  expect([sum('total', read.mergequeueUsage), sum('mergedByBot', read.mergequeueUsage)]).toEqual([1, 1]);
  // The pull request that failed twice counts twice.
  expect([sum('ciFailure', read.blockedReason), sum('manualDequeue', read.blockedReason)]).toEqual([2, 1]);
  const [row] = await w.rows<{ seconds: number }>(
    'select extract(epoch from merged_at - queued_at)::float8 as seconds from pull_request where number = $1',
    [good],
  );
  expect(read.timeInQueue).toMatchObject([{ min: row?.seconds, p50: row?.seconds, p100: row?.seconds }]);
  expect(read.syncFrequency).toMatchObject([{ min: 0, avg: 0, p100: 0 }]);
  expect(read.waitTimesToQueue.length).toBeGreaterThan(0);
  for (const { min, p100 } of read.waitTimesToQueue) {
    expect(min).toBeGreaterThan(0);
    expect(p100).toBeLessThan(60);
  }
  // The story may have begun in the hour before.
  const hours = await readHoursOfDay(w.ctx, read);
  expect(hours.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  expect([sum('merged', hours), sum('left', hours)]).toEqual([1, 3]);
  expect(hours.find(({ merged }) => merged === 1)).toMatchObject({ p50: row?.seconds, p90: row?.seconds });
  expect(hours.filter(({ p50 }) => p50 !== null)).toHaveLength(1);
  const now = new Date().getUTCHours();
  expect([now, (now + 23) % 24]).toContain(hours.find(({ merged }) => merged === 1)?.hour);
  // In Kolkata it is five hours and a half later than in UTC.
  const inIndia = await readHoursOfDay(w.ctx, {
    repositoryId: w.repositoryId,
    days: read.days,
    timezone: 'Asia/Kolkata',
  });
  const [utc = 0, indian = 0] = [hours, inIndia].map((all) => all.find(({ merged }) => merged === 1)?.hour);
  expect([5, 6]).toContain((indian - utc + 24) % 24);
  const ofMain = { repositoryId: w.repositoryId, days: read.days, baseBranch: 'main' };
  const builds = await readDailyBuilds(w.ctx, ofMain);
  expect(builds.map(({ date }) => date)).toEqual(read.days.map(({ date }) => date));
  const ended = (await w.batches()).filter(({ state }) => state !== 'making');
  const states = ended.map(({ state }) => state);
  expect([sum('builds', builds), sum('landed', builds)]).toEqual([
    ended.length,
    states.filter((state) => state === 'landed').length,
  ]);
  expect(sum('minutesFailed', builds)).toBeGreaterThan(0);
  const failures = states.filter((state) => state === 'failed').length;
  expect(await readFailedChecks(w.ctx, ofMain, 10)).toEqual([
    { name: 'test', failed: failures, builds: expect.any(Number) },
  ]);
  const elsewhere = { ...ofMain, baseBranch: 'next' };
  expect(sum('builds', await readDailyBuilds(w.ctx, elsewhere))).toBe(0);
  expect(await readFailedChecks(w.ctx, elsewhere, 10)).toEqual([]);
});

it('a day in serial mode shows how often the base was merged into the heads, and no waits', async () => {
  await using w = await world({ configuration: serial() });
  const [first, second] = [
    await w.open('first', { 'first.txt': '1\n' }),
    await w.open('second', { 'second.txt': '2\n' }),
  ];
  await w.queue(first, second);
  await w.settled(first, second);
  const { read, sum } = await today(w);
  expect([sum('total', read.mergequeueUsage), sum('mergedByBot', read.mergequeueUsage)]).toEqual([2, 2]);
  const synced = await w.rows<{ syncs: number }>('select sync_count as syncs from pull_request order by sync_count');
  expect(synced.at(-1)?.syncs).toBeGreaterThan(0);
  expect(read.syncFrequency).toMatchObject([{ min: synced[0]?.syncs, p100: synced.at(-1)?.syncs }]);
  expect(read.waitTimesToQueue).toEqual([]);
});

describe('analytics over REST', () => {
  let s: TestServer;
  let repositoryId: string;
  beforeAll(async () => {
    s = await startServer();
    await s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "web", host: LOCAL}) { repository { id } } }',
    );
    repositoryId = (await s.rows<{ id: string }>('select id from repository'))[0]?.id ?? '';
  });
  afterAll(async () => await s.close());

  const merged = async (at: string): Promise<void> => {
    const ctx = { ...systemContext(s.ports, s.accountId), clock: () => new Date(at) };
    await s.ports.db.transaction(s.accountId, async (tx) => {
      const payload = { mergedAt: at, mergedByQueue: true, queuedAt: null, syncCount: 0 };
      await appendEvents(ctx, tx, [{ repositoryId, action: 'merged', payload }]);
    });
  };
  const totals = async (query: string): Promise<Record<string, number>> => {
    const answer = await s.rest('GET', `/api/v1/analytics?repo=acme/web&${query}`);
    const { mergequeue_usage: usage } = (await answer.json()) as {
      mergequeue_usage: { date: string; total: number }[];
    };
    return Object.fromEntries(usage.filter(({ total }) => total > 0).map(({ date, total }) => [date, total]));
  };

  it('use the requested zone, or else that of the account, and include later events of a day that was read before', async () => {
    const range = 'start=2026-03-01&end=2026-03-31';
    await merged('2026-03-10T20:00:00.000Z');
    await vi.waitFor(async () => expect(await totals(range)).toEqual({ '2026-03-10': 1 }), { timeout: 60_000 });
    expect(await totals(`${range}&timezone=Asia/Kathmandu`)).toEqual({ '2026-03-11': 1 });
    const set = await s.graphql(
      'mutation { setAccountTimezone(input: {timezone: "Asia/Kathmandu"}) { account { timezone } } }',
    );
    expect(set.data).toEqual({ setAccountTimezone: { account: { timezone: 'Asia/Kathmandu' } } });
    expect(await totals(range)).toEqual({ '2026-03-11': 1 });
    await merged('2026-03-10T20:30:00.000Z');
    await vi.waitFor(async () => expect(await totals(range)).toEqual({ '2026-03-11': 2 }), { timeout: 60_000 });
    expect(await totals(`${range}&timezone=utc`)).toEqual({ '2026-03-10': 2 });
    const refused = await s.graphql(
      'mutation { setAccountTimezone(input: {timezone: "+05:45"}) { account { timezone } } }',
    );
    expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
  });

  it('have the hours of the zone that has the days, also of a zone whose name is an abbreviation', async () => {
    const mergedHour = async (timezone: string): Promise<number | undefined> => {
      const { data } = await s.graphql<{
        repository: { analytics: { hours: { hour: number; merged: number }[] } };
      }>(
        `query ($timezone: TimeZone) { repository(owner: "acme", name: "web") {
           analytics(start: "2026-07-10", end: "2026-07-11", timezone: $timezone) { hours { hour merged } } } }`,
        { timezone },
      );
      return data.repository.analytics.hours.find(({ merged }) => merged === 1)?.hour;
    };
    await merged('2026-07-10T20:00:00.000Z');
    await vi.waitFor(async () => expect(await mergedHour('UTC')).toBe(20), { timeout: 60_000 });
    for (const timezone of ['Europe/Brussels', 'CET', 'cet'])
      expect([timezone, await mergedHour(timezone)]).toEqual([timezone, 22]);
    for (const unknown of ['JST', 'SystemV/EST5']) {
      const answer = await s.rest('GET', `/api/v1/analytics?repo=acme/web&timezone=${unknown}`);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: 'timezone must be the name of a time zone, such as Europe/Berlin' },
      ]);
    }
  });

  it('need analytics:read', async () => {
    const token = await s.tokenWith(['queue:read', 'queue:write']);
    const answer = await s.rest('GET', '/api/v1/analytics?repo=acme/web', { token });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'This needs a token with the scope analytics:read.' },
    ]);
  });
});
