// What CI says of checks that made a pull request fail.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export interface FailedCheck {
  readonly name: string;
  readonly url: string | null;
  /** The host's own words. */
  readonly summary: string | null;
}

export interface FailedNames {
  readonly pullRequestId: string;
  readonly names: readonly string[];
}

/** Of those names, the ones that failed on its head or in its newest build, as they failed last. */
export async function readFailedChecks(
  ctx: Context,
  tx: Transaction,
  of: FailedNames,
): Promise<readonly FailedCheck[]> {
  return (await readFailedChecksOf(ctx, tx, [of])).get(of.pullRequestId) ?? [];
}

/** By pull request, in one statement. */
export async function readFailedChecksOf(
  ctx: Context,
  tx: Transaction,
  of: readonly FailedNames[],
): Promise<ReadonlyMap<string, readonly FailedCheck[]>> {
  const asked = of.filter(({ names }) => names.length > 0);
  if (asked.length === 0) return new Map();
  const rows = await tx.query<FailedCheck & { readonly id: string }>(
    `select distinct on (p.id, c.name) p.id, c.name, c.url, c.summary
     from jsonb_to_recordset($2::jsonb) as asked ("pullRequestId" bigint, names jsonb)
     join pull_request p on p.account_id = $1 and p.id = asked."pullRequestId"
     left join lateral (
       select b.tested_commit from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
       where m.account_id = p.account_id and m.pull_request_id = p.id order by b.id desc limit 1) newest on true
     join check_result c on c.account_id = p.account_id and c.repository_id = p.repository_id
       and c.commit in (p.head_sha, newest.tested_commit)
     where asked.names ? c.name and c.conclusion not in ('pending', 'success', 'skipped', 'neutral')
     order by p.id, c.name, c.completed_at desc nulls last, c.attempt desc`,
    [ctx.accountId, JSON.stringify(asked)],
  );
  return Map.groupBy(rows, ({ id }) => id);
}
