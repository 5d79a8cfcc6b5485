// Reads a year of analytics over a million pull requests as the service does. Also computes two sets of the same
// analytics from the events, by one statement for each set.
import { deepStrictEqual } from 'node:assert';
import type { Context } from '../src/context.ts';
import { readAnalytics } from '../src/modules/analytics/analytics.service.ts';
import { rollUpEvents } from '../src/modules/analytics/index.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { elapsedMs, ms, table, timed } from './timing.ts';

const zone = 'America/New_York';
const year = { start: '2025-01-01', end: '2025-12-31' } as const;

interface Subject extends Pick<BenchInstallation, 'owner'> {
  readonly ctx: Context;
  readonly repositoryId: string;
}

export async function benchAnalytics(pullRequests: number): Promise<void> {
  await withInstallation(async (installation) => {
    const { owner } = installation;
    const ctx = await installation.account('bench');
    const subject: Subject = { ctx, owner, repositoryId: await installation.repository(ctx, 'shop') };
    const { repositoryId } = subject;
    const events = await fill(subject, pullRequests);
    const rollingUp = await elapsedMs(async () => {
      while ((await rollUpEvents(ctx.db)) > 0);
    });
    await owner.query('vacuum analyze');
    const read = async (timezone: string) => await readAnalytics(ctx, { id: repositoryId }, { ...year, timezone });
    const first = await elapsedMs(async () => await read(zone));
    await owner.query('analyze analytics_day');
    const again = await timed(200, async () => await read(zone));
    let expected: unknown;
    const direct = await elapsedMs(async () => (expected = await countDirectly(subject)));
    const { timeInQueue, waitTimesToQueue } = await read(zone);
    deepStrictEqual(
      { timeInQueue: timeInQueue.map(medianOf), waitTimesToQueue: waitTimesToQueue.map(medianOf) },
      expected,
    );
    const today = await timed(200, async () => await readOpenDay(ctx, repositoryId));
    const rate = Math.round((events / rollingUp) * 1000);
    console.log(
      table(
        ['what', 'p50', 'p95', 'CPU of our process', 'direct SQL over p50'],
        [
          ['a year, read again', ms(again.p50), ms(again.p95), ms(again.cpu), `${Math.round(direct / again.p50)}`],
          ['a year, read first in its zone', ms(first), '', '', (direct / first).toFixed(1)],
          ['a day that is not over', ms(today.p50), ms(today.p95), ms(today.cpu), ''],
          ['a year, by SQL from the events', ms(direct), '', '', '1'],
        ],
      ),
    );
    console.log(`\n${pullRequests} pull requests, ${events} events rolled up in ${ms(rollingUp)}: ${rate} a second`);
  });
}

const medianOf = ({ date, p50, p90 }: { readonly date: string; readonly p50: number; readonly p90: number }) => ({
  date,
  p50,
  p90,
});

/** Reads a day that has not ended, as the service reads the present day. */
async function readOpenDay(ctx: Context, repositoryId: string): Promise<void> {
  const start = '2025-07-01';
  const evening: Context = { ...ctx, clock: () => new Date(`${start}T23:00:00Z`) };
  await readAnalytics(evening, { id: repositoryId }, { start, end: start, timezone: 'America/Los_Angeles' });
}

async function fill({ ctx, owner, repositoryId }: Subject, count: number): Promise<number> {
  await owner.query('select setseed(0.5)');
  await owner.query(
    `create temp table merge as
     select n, timestamptz '2025-01-01' + random() * interval '365 days' as at, random() * 7200 as waited, floor(random() * 4) as syncs
     from generate_series(1, $1::int) n`,
    [count],
  );
  await owner.query(
    `insert into event (account_id, repository_id, pull_request_id, action, payload, at, position)
     select $1::bigint, $2::bigint, n, action, payload, at, row_number() over (order by at) from (
       select n, 'merged' as action, jsonb_build_object('mergedAt', at, 'mergedByQueue', true, 'queuedAt', at - waited * interval '1 second', 'syncCount', syncs) as payload, at from merge
       union all
       select n, 'added_to_batch', jsonb_build_object('preconditionsHeldAt', at - waited * interval '1 second'), at - waited * interval '0.9 seconds' from merge
       union all
       select n, 'blocked', jsonb_build_object('statusCode', 107), at - interval '1 day' from merge where n % 10 = 0) told`,
    [ctx.accountId, repositoryId],
  );
  const { rows } = await owner.query<{ events: number }>(
    `insert into event_head (account_id, position) select account_id, max(position) from event group by 1 returning position::int as events`,
  );
  await owner.query('vacuum analyze event');
  return rows[0]?.events ?? 0;
}

/** Computes only two of the five sets. So the comparison favours SQL. */
async function countDirectly({ ctx, owner, repositoryId }: Subject): Promise<unknown> {
  const set = async (action: string, since: string): Promise<unknown[]> => {
    const { rows } = await owner.query(
      `select to_char(day, 'YYYY-MM-DD') as date, (percentile_disc(0.5) within group (order by lasted) / 1000.0)::float8 as p50,
         (percentile_disc(0.9) within group (order by lasted) / 1000.0)::float8 as p90
       from (select (at at time zone $3)::date as day, round(extract(epoch from at - (payload ->> $5)::timestamptz) * 1000)::bigint as lasted
             from event where account_id = $1 and repository_id = $2 and action = $4) sample
       where day between $6 and $7 group by day order by day`,
      [ctx.accountId, repositoryId, zone, action, since, year.start, year.end],
    );
    return rows.map((row) => ({ ...row }));
  };
  return {
    timeInQueue: await set('merged', 'queuedAt'),
    waitTimesToQueue: await set('added_to_batch', 'preconditionsHeldAt'),
  };
}
