// Finds heads that the service pushed to the branches of pull requests. Each head is recorded before its push, so that
// the service never takes the head for a person's commit.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { configurationOf } from '../store/rules-in-force.ts';

/** How many pushes of the service lead from one head to another. 0: another commit is between them. */
export async function countOwnPushes(
  ctx: Context,
  tx: Transaction,
  heads: { readonly repositoryId: string; readonly from: string; readonly to: string },
): Promise<number> {
  const [found] = await tx.query<{ steps: number }>(
    `with recursive back (head, steps) as (
       select previous, 1 from pushed_head where account_id = $1 and repository_id = $2 and head = $4
       union
       select p.previous, b.steps + 1 from pushed_head p join back b on p.head = b.head
       where p.account_id = $1 and p.repository_id = $2 and b.steps < 20)
     select min(steps) as steps from back where head = $3`,
    [ctx.accountId, heads.repositoryId, heads.from, heads.to],
  );
  return found?.steps ?? 0;
}

/**
 * Whether a landing moves the heads of its pull requests to the landed commits, so that the host shows them as merged.
 */
export function movesHeads(ctx: Pick<Context, 'hosts'>, { repository, host }: LoadedBatch): boolean {
  const { merge_strategy } = configurationOf(repository).merge_rules;
  return merge_strategy.show_as_merged && ctx.hosts(host.host).mergedWhen === 'reachable';
}

/**
 * The name of a ref that can be made only once. Either the push that moves the heads of a landing makes the ref, or
 * another worker that takes the landing over makes it. So only one of the two happens.
 */
export function headsFence(batchId: string): string {
  return `refs/interlock/builds/${batchId}-heads`;
}

/** Whether a landing of the pull request has moved its head from `from` to `to`, or back from `to` to `from`. */
export async function isMovedByLanding(
  ctx: Context,
  tx: Transaction,
  heads: { readonly pullRequestId: string; readonly from: string; readonly to: string },
): Promise<boolean> {
  const found = await tx.query(
    `select 1 from batch_member m join intent i on i.account_id = m.account_id and i.batch_id = m.batch_id and i.kind = 'land'
     where m.account_id = $1 and m.pull_request_id = $2
       and (i.payload -> 'heads' @> jsonb_build_array(jsonb_build_object('from', $3::text, 'to', $4::text))
         or i.payload -> 'heads' @> jsonb_build_array(jsonb_build_object('from', $4::text, 'to', $3::text)))
     limit 1`,
    [ctx.accountId, heads.pullRequestId, heads.from, heads.to],
  );
  return found.length > 0;
}
