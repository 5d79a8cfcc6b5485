// What CI says of checks that made a pull request fail.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export interface FailedCheck {
  readonly name: string;
  readonly url: string | null;
  /** The host's own words. */
  readonly summary: string | null;
}

/** Of those names, the ones that failed on its head or in its newest build, as they failed last. */
export async function readFailedChecks(
  ctx: Context,
  tx: Transaction,
  of: { readonly pullRequestId: string; readonly names: readonly string[] },
): Promise<FailedCheck[]> {
  if (of.names.length === 0) return [];
  return await tx.query<FailedCheck>(
    `select distinct on (c.name) c.name, c.url, c.summary
     from pull_request p
     left join lateral (
       select b.tested_commit from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
       where m.account_id = p.account_id and m.pull_request_id = p.id order by b.id desc limit 1) newest on true
     join check_result c on c.account_id = p.account_id and c.repository_id = p.repository_id
       and c.commit in (p.head_sha, newest.tested_commit)
     where p.account_id = $1 and p.id = $2 and c.name = any($3)
       and c.conclusion not in ('pending', 'success', 'skipped', 'neutral')
     order by c.name, c.completed_at desc nulls last, c.attempt desc`,
    [ctx.accountId, of.pullRequestId, [...of.names]],
  );
}
