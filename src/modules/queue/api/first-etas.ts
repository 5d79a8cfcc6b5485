// Stores the first estimate for a pull request after it has entered the line, so that analytics can compare the
// estimate with the landing. Later estimates are not stored, because an estimate is easier when the landing is closer.
import type { Context } from '../../../context.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Forecast } from '../../../domain/simulation/forecast.ts';

/** Stores the first estimates. A failure is logged and not thrown, because the caller needs only the estimates. */
export async function storeFirstEtas(
  ctx: Context,
  { pullRequests }: Snapshot,
  { etas, now }: Pick<Forecast, 'etas'> & { readonly now: number },
): Promise<void> {
  const known = pullRequests.flatMap(({ id, queuedAt }) => {
    const eta = etas.get(id);
    return eta === undefined || typeof eta === 'string' ? [] : [{ id, queuedAt, ...eta }];
  });
  if (known.length === 0) return;
  try {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      // If a pull request has left the line and entered it again since the snapshot, no estimate of it is stored.
      await tx.send(
        `insert into first_eta (account_id, repository_id, pull_request_id, queued_at, estimated_at, p50, p90)
         select p.account_id, p.repository_id, p.id, p.queued_at, $6, to_timestamp(e.p50 / 1000), to_timestamp(e.p90 / 1000)
         from unnest($2::bigint[], $3::float8[], $4::float8[], $5::float8[]) as e (id, queued_at, p50, p90)
         join pull_request p on p.account_id = $1 and p.id = e.id
           and round(extract(epoch from p.queued_at) * 1000) = e.queued_at
         on conflict do nothing`,
        [
          ctx.accountId,
          known.map(({ id }) => id),
          known.map(({ queuedAt }) => queuedAt),
          known.map(({ p50 }) => p50),
          known.map(({ p90 }) => p90),
          new Date(now),
        ],
      );
    });
  } catch (error) {
    ctx.log.error({ error: String(error) }, 'The first estimates of landings could not be stored.');
  }
}
