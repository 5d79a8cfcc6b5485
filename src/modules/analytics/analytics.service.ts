// Statistics by day (interface 2.8, 4.6). A past day is computed once and stored. Other days are computed from their
// buckets, of which a day has at most ninety-six.
import type { Context } from '../../context.ts';
import { decideDays, type Day, type DaysAsked } from '../../domain/analytics/days.ts';
import { requireScope } from '../accounts/index.ts';
import {
  computeAndStoreDays,
  readAccountTimezone,
  readBuckets,
  readStoredDays,
  type DayRow,
} from './analytics.reads.ts';
import type { Analytics, DailyDistribution } from './analytics.types.ts';

// How many days one transaction computes. A month of a busy repository takes a fraction of a second.
const storedAtOnce = 31;

export async function readAnalytics(
  ctx: Context,
  repository: { readonly id: string },
  asked: DaysAsked & { readonly timezone?: string | null | undefined },
): Promise<Analytics> {
  requireScope(ctx, 'analytics:read');
  const now = ctx.clock();
  const timezone = asked.timezone ?? (await readAccountTimezone(ctx));
  const days = decideDays(asked, timezone, now);
  const known = await readStoredDays(ctx, repository.id, days);
  const missing = days.filter((day) => !known.has(day.date));
  const over = missing.filter((day) => day.endsAt <= now);
  for (let at = 0; at < over.length; at += storedAtOnce)
    for (const [date, row] of await computeAndStoreDays(ctx, repository.id, over.slice(at, at + storedAtOnce)))
      known.set(date, row);
  const open = missing.filter((day) => day.endsAt > now);
  for (const [date, row] of await readBuckets(ctx, repository.id, open)) known.set(date, row);
  return { repositoryId: repository.id, timezone, days, ...toAnalytics(days, known) };
}

function toAnalytics(
  days: readonly Day[],
  rows: ReadonlyMap<string, DayRow>,
): Omit<Analytics, 'repositoryId' | 'timezone' | 'days'> {
  const dated = days.flatMap(({ date }) => {
    const row = rows.get(date);
    return row === undefined ? [] : [{ date, ...row }];
  });
  return {
    timeInQueue: dated.flatMap((row) => distribution(row.date, row.timeInQueue)),
    waitTimesToQueue: dated.flatMap((row) => distribution(row.date, row.waitToQueue)),
    mergequeueUsage: dated.map(({ date, merged, mergedByQueue }) => ({
      date,
      total: merged,
      mergedByBot: mergedByQueue,
    })),
    blockedReason: dated.map(({ date, mergeConflict, ciFailure, manualDequeue, ciTimeout, other }) => ({
      date,
      mergeConflict,
      ciFailure,
      manualDequeue,
      ciTimeout,
      other,
    })),
    syncFrequency: dated.flatMap((row) => distribution(row.date, row.syncs)),
  };
}

function distribution(date: string, values: DayRow['syncs']): DailyDistribution[] {
  if (values === null) return [];
  const [min, avg, p50, p75, p90, p100] = values;
  return [{ date, min, avg, p50, p75, p90, p100 }];
}
