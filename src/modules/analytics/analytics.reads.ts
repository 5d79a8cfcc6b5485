import type { Context } from '../../context.ts';
import { canonicalTimeZone, type Day } from '../../domain/analytics/days.ts';
import type { HourOfDay } from './analytics.types.ts';

/** The values min, avg, p50, p75, p90 and p100. Null: there are no samples. */
type Distribution = readonly [number, number, number, number, number, number] | null;

export interface DayRow {
  readonly merged: number;
  readonly mergedByQueue: number;
  readonly mergeConflict: number;
  readonly ciFailure: number;
  readonly manualDequeue: number;
  readonly ciTimeout: number;
  readonly other: number;
  readonly timeInQueue: Distribution;
  readonly waitToQueue: Distribution;
  readonly syncs: Distribution;
}

type NumberedRow = DayRow & { readonly n: number };

export async function readAccountTimezone(ctx: Context): Promise<string> {
  const [row] = await ctx.db.read<{ timezone: string }>(ctx.accountId, {
    name: 'account_timezone',
    text: 'select timezone from account where id = $1',
    values: [ctx.accountId],
  });
  return row?.timezone ?? 'UTC';
}

// Instants are passed as seconds, because the text form of a date cannot go beyond the year 9999.
const requestedDays =
  'unnest($3::float8[], $4::float8[]) with ordinality as asked (starts, ends, n), lateral (select to_timestamp(starts) as starts_at, to_timestamp(ends) as ends_at) day';

const rowOf = (day: string): string =>
  `${day}.merged, ${day}.merged_by_queue as "mergedByQueue", ${day}.merge_conflict as "mergeConflict", ${day}.ci_failure as "ciFailure",
   ${day}.manual_dequeue as "manualDequeue", ${day}.ci_timeout as "ciTimeout", ${day}.other,
   ${day}.time_in_queue as "timeInQueue", ${day}.wait_to_queue as "waitToQueue", ${day}.syncs`;

const buckets =
  'analytics_bucket b where b.account_id = $1::bigint and b.repository_id = $2::bigint and b.starts_at >= day.starts_at and b.starts_at < day.ends_at';

// percentile_disc is the nearest rank: the smallest sample that the given share of samples does not exceed, always one
// of the samples.
const distributionOf = (samples: string, unit: string): string => `(
    select array[min(v) / ${unit}, round(avg(v) / ${unit}, 3)] || (select array_agg(p / ${unit} order by o) from unnest(
      percentile_disc(array[0.5, 0.75, 0.9, 1]) within group (order by v)) with ordinality as rank (p, o))
    from (select unnest(b.${samples}) as v from ${buckets}) sample having count(*) > 0)::float8[]`;

const computed = `
  select asked.n::integer as n, day.starts_at, day.ends_at, counts.*,
    ${distributionOf('time_in_queue', '1000.0')} as time_in_queue,
    ${distributionOf('wait_to_queue', '1000.0')} as wait_to_queue,
    ${distributionOf('syncs', '1.0')} as syncs
  from ${requestedDays}, lateral (
    select coalesce(sum(b.merged), 0)::integer as merged, coalesce(sum(b.merged_by_queue), 0)::integer as merged_by_queue,
      coalesce(sum(b.merge_conflict), 0)::integer as merge_conflict, coalesce(sum(b.ci_failure), 0)::integer as ci_failure,
      coalesce(sum(b.manual_dequeue), 0)::integer as manual_dequeue, coalesce(sum(b.ci_timeout), 0)::integer as ci_timeout,
      coalesce(sum(b.other), 0)::integer as other
    from ${buckets}) counts`;

const emptyDay: DayRow = {
  merged: 0,
  mergedByQueue: 0,
  mergeConflict: 0,
  ciFailure: 0,
  manualDequeue: 0,
  ciTimeout: 0,
  other: 0,
  timeInQueue: null,
  waitToQueue: null,
  syncs: null,
};

/** Returns the stored results of these days and the results of days without buckets, by date. */
export async function readStoredDays(
  ctx: Context,
  repositoryId: string,
  days: readonly Day[],
): Promise<Map<string, DayRow>> {
  // The result is one JSON document, because the driver takes ten times as long as the database for a year of rows with
  // arrays.
  const [found] = await ctx.db.read<{ days: NumberedRow[]; empty: number[] }>(ctx.accountId, {
    name: 'analytics_days',
    text: `select coalesce(json_agg(found), '[]') as days, array(
             select asked.n::integer from ${requestedDays} where not exists (select from ${buckets})) as empty from (
             select asked.n::integer as n, ${rowOf('kept')} from ${requestedDays}
             join analytics_day kept on kept.account_id = $1::bigint and kept.repository_id = $2::bigint
               and kept.starts_at = day.starts_at and kept.ends_at = day.ends_at) found`,
    values: valuesOf(ctx, repositoryId, days),
  });
  const empty = (found?.empty ?? []).map((n): NumberedRow => ({ n, ...emptyDay }));
  return byDate(days, [...empty, ...(found?.days ?? [])]);
}

/** Computes the results of days from their buckets. Returns the results by date. */
export async function readBuckets(
  ctx: Context,
  repositoryId: string,
  days: readonly Day[],
): Promise<Map<string, DayRow>> {
  if (days.length === 0) return new Map();
  const rows = await ctx.db.read<NumberedRow>(ctx.accountId, {
    name: 'analytics_buckets',
    text: `select made.n, ${rowOf('made')} from (${computed}) made`,
    values: valuesOf(ctx, repositoryId, days),
  });
  return byDate(days, rows);
}

/**
 * Computes the results of days and stores those of days with a bucket, so that the number of rows is bounded by what
 * happened, and not by the days that are asked for. The shared lock keeps events from being added between the read and the
 * write.
 */
export async function computeAndStoreDays(
  ctx: Context,
  repositoryId: string,
  days: readonly Day[],
): Promise<Map<string, DayRow>> {
  const rows = await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send('insert into analytics_progress (account_id) values ($1) on conflict do nothing', [ctx.accountId]);
    await tx.query('select 1 from analytics_progress where account_id = $1 for share', [ctx.accountId]);
    return await tx.query<NumberedRow>(
      `with made as materialized (${computed}), kept as (
         insert into analytics_day (account_id, repository_id, starts_at, ends_at, merged, merged_by_queue, merge_conflict, ci_failure,
           manual_dequeue, ci_timeout, other, time_in_queue, wait_to_queue, syncs)
         select $1::bigint, $2::bigint, starts_at, ends_at, merged, merged_by_queue, merge_conflict, ci_failure,
           manual_dequeue, ci_timeout, other, time_in_queue, wait_to_queue, syncs from made day
         where exists (select from ${buckets})
         on conflict do nothing
       )
       select n, ${rowOf('made')} from made`,
      valuesOf(ctx, repositoryId, days),
    );
  });
  return byDate(days, rows);
}

function valuesOf(ctx: Context, repositoryId: string, days: readonly Day[]): readonly unknown[] {
  const seconds = (instant: Date): number => instant.getTime() / 1000;
  return [
    ctx.accountId,
    repositoryId,
    days.map(({ startsAt }) => seconds(startsAt)),
    days.map(({ endsAt }) => seconds(endsAt)),
  ];
}

function byDate(days: readonly Day[], rows: readonly NumberedRow[]): Map<string, DayRow> {
  return new Map(
    rows.flatMap(({ n, ...row }) => {
      const day = days[n - 1];
      return day === undefined ? [] : [[day.date, row]];
    }),
  );
}

/** Computes the 24 hours of the day from the buckets of all requested days. */
export async function readHoursOfDay(
  ctx: Context,
  {
    repositoryId,
    days,
    timezone,
  }: { readonly repositoryId: string; readonly days: readonly Day[]; readonly timezone: string },
): Promise<HourOfDay[]> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  return await ctx.db.read<HourOfDay>(ctx.accountId, {
    name: 'analytics_hours',
    text: `with bucket as materialized (
             select extract(hour from b.starts_at at time zone $5::text)::integer as hour, b.merged, b.time_in_queue,
               b.merge_conflict + b.ci_failure + b.manual_dequeue + b.ci_timeout + b.other as "left"
             from analytics_bucket b where b.account_id = $1::bigint and b.repository_id = $2::bigint
               and b.starts_at >= to_timestamp($3::float8) and b.starts_at < to_timestamp($4::float8))
           select asked.hour, counts.*, ranks.p[1]::float8 / 1000 as p50, ranks.p[2]::float8 / 1000 as p90
           from generate_series(0, 23) asked (hour), lateral (
             select coalesce(sum(b.merged), 0)::integer as merged, coalesce(sum(b.left), 0)::integer as "left"
             from bucket b where b.hour = asked.hour) counts, lateral (
             select percentile_disc(array[0.5, 0.9]) within group (order by v) as p
             from bucket b, unnest(b.time_in_queue) v where b.hour = asked.hour) ranks
           order by asked.hour`,
    values: [
      ctx.accountId,
      repositoryId,
      first.startsAt.getTime() / 1000,
      last.endsAt.getTime() / 1000,
      canonicalTimeZone(timezone),
    ],
  });
}
