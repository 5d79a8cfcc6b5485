// Compares the first estimates of landings with the landings.
import type { Context } from '../../context.ts';
import type { DailyEtaAccuracy } from './analytics.types.ts';
import { readEachDay, type AnalyticsFilter } from './builds.reads.ts';

/** Counts the pull requests that were merged within their estimate. Returns a row for every day. */
export async function readDailyEtaAccuracy(ctx: Context, filter: AnalyticsFilter): Promise<DailyEtaAccuracy[]> {
  return await readEachDay<DailyEtaAccuracy>(ctx, filter, {
    name: 'analytics_eta_accuracy',
    statistic: `
        select count(*)::integer as estimated, (count(*) filter (where p.merged_at <= e.p50))::integer as "byP50",
          (count(*) filter (where p.merged_at <= e.p90))::integer as "byP90"
        from pull_request p join first_eta e on e.account_id = $1::bigint and e.pull_request_id = p.id and e.queued_at = p.queued_at
        where p.account_id = $1::bigint and p.repository_id = $2::bigint and p.status = 'merged' and p.merged_by_queue
          and p.merged_at >= to_timestamp(starts) and p.merged_at < to_timestamp(ends)
          and ($3::text is null or p.base_branch = $3)`,
  });
}
