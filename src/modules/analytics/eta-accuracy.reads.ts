// Compares the first estimates of landings with the landings.
import type { Context } from '../../context.ts';
import type { DailyEtaAccuracy } from './analytics.types.ts';
import { endsSec, startsSec, type AnalyticsFilter } from './builds.reads.ts';

/** How many pull requests were merged within their estimate, with a row for every day. */
export async function readDailyEtaAccuracy(
  ctx: Context,
  { repositoryId, days, baseBranch }: AnalyticsFilter,
): Promise<DailyEtaAccuracy[]> {
  const rows = await ctx.db.read<Omit<DailyEtaAccuracy, 'date'> & { readonly n: number }>(ctx.accountId, {
    name: 'analytics_eta_accuracy',
    text: `select asked.n::integer as n, merged.* from unnest($4::float8[], $5::float8[]) with ordinality as asked (starts, ends, n),
      lateral (
        select count(*)::integer as estimated, (count(*) filter (where p.merged_at <= e.p50))::integer as "byP50",
          (count(*) filter (where p.merged_at <= e.p90))::integer as "byP90"
        from pull_request p join first_eta e on e.account_id = $1::bigint and e.pull_request_id = p.id and e.queued_at = p.queued_at
        where p.account_id = $1::bigint and p.repository_id = $2::bigint and p.status = 'merged' and p.merged_by_queue
          and p.merged_at >= to_timestamp(starts) and p.merged_at < to_timestamp(ends)
          and ($3::text is null or p.base_branch = $3)) merged
      order by asked.n`,
    values: [ctx.accountId, repositoryId, baseBranch, days.map(startsSec), days.map(endsSec)],
  });
  return rows.flatMap(({ n, ...row }) => {
    const day = days[n - 1];
    return day === undefined ? [] : [{ date: day.date, ...row }];
  });
}
