// Reads the builds that CI made for the queues of a repository, and the checks that failed in these builds.
import type { Context } from '../../context.ts';
import type { Day } from '../../domain/analytics/days.ts';
import type { DailyBuilds, FailedCheck } from './analytics.types.ts';

/** The days and queues of a statistic. */
export interface AnalyticsFilter {
  readonly repositoryId: string;
  readonly days: readonly Day[];
  /** Null: all queues of the repository. */
  readonly baseBranch: string | null;
}

const endedBuilds = `batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
  where q.account_id = $1::bigint and q.repository_id = $2::bigint and ($3::text is null or q.base_branch = $3)
    and b.build_started_at is not null`;

const minutesOf = (states: string): string =>
  `coalesce(sum(extract(epoch from b.ended_at - b.build_started_at)) filter (where b.state in (${states})), 0)::float8 / 60`;

/**
 * Returns a row for every day. `statistic` is SQL that returns one row for the day between the seconds `starts` and
 * `ends`, with the filter as $1 to $3. `name` is the name of the prepared statement.
 */
export async function readEachDay<Row extends { readonly date: string }>(
  ctx: Context,
  { repositoryId, days, baseBranch }: AnalyticsFilter,
  { name, statistic }: { readonly name: string; readonly statistic: string },
): Promise<Row[]> {
  const rows = await ctx.db.read<Omit<Row, 'date'> & { readonly n: number }>(ctx.accountId, {
    name,
    text: `select asked.n::integer as n, statistic.* from unnest($4::float8[], $5::float8[]) with ordinality as asked (starts, ends, n),
      lateral (${statistic}) statistic
      order by asked.n`,
    values: [ctx.accountId, repositoryId, baseBranch, days.map(startsSec), days.map(endsSec)],
  });
  return rows.flatMap(({ n, ...row }) => {
    const day = days[n - 1];
    return day === undefined ? [] : [{ date: day.date, ...row } as unknown as Row];
  });
}

/** Counts the builds that ended on each day. Returns a row for every day. */
export async function readDailyBuilds(ctx: Context, filter: AnalyticsFilter): Promise<DailyBuilds[]> {
  return await readEachDay<DailyBuilds>(ctx, filter, {
    name: 'analytics_builds',
    statistic: `
        select count(*)::integer as builds, (count(*) filter (where b.state = 'landed'))::integer as landed,
          ${minutesOf("'landed'")} as "minutesLanded", ${minutesOf("'failed', 'bisected'")} as "minutesFailed",
          ${minutesOf("'superseded'")} as "minutesReset"
        from ${endedBuilds} and b.ended_at >= to_timestamp(starts) and b.ended_at < to_timestamp(ends)`,
  });
}

/**
 * Returns the checks that failed. The check that failed most often is first. Checks that did not end are not counted.
 */
export async function readFailedChecks(
  ctx: Context,
  { repositoryId, days, baseBranch }: AnalyticsFilter,
  max: number,
): Promise<FailedCheck[]> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  return await ctx.db.read<FailedCheck>(ctx.accountId, {
    name: 'analytics_failed_checks',
    text: `select name, (count(*) filter (where conclusion in ('failure', 'error', 'timed_out')))::integer as failed, count(*)::integer as builds
      from (select b.id, b.tested_commit as commit from ${endedBuilds}
              and b.ended_at >= to_timestamp($4) and b.ended_at < to_timestamp($5)) ended,
        lateral (select distinct on (r.name) r.name, r.conclusion from check_result r
          where r.account_id = $1::bigint and r.repository_id = $2::bigint and r.commit = ended.commit
          order by r.name, r.attempt desc) newest
      where conclusion not in ('pending', 'missing', 'unknown')
      group by name having count(*) filter (where conclusion in ('failure', 'error', 'timed_out')) > 0
      order by 2 desc, name limit $6`,
    values: [ctx.accountId, repositoryId, baseBranch, startsSec(first), endsSec(last), max],
  });
}

const startsSec = ({ startsAt }: Day): number => startsAt.getTime() / 1000;
const endsSec = ({ endsAt }: Day): number => endsAt.getTime() / 1000;
