// Finds heads that the service pushed to the branches of pull requests. Each head is recorded before its push, so that
// the service never takes the head for a person's commit.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { configurationOf } from '../store/rules-in-force.ts';

interface Heads {
  readonly repositoryId: string;
  readonly from: string;
  readonly to: string;
}

/** The pushes of the service that lead from one head to another. `onto` is what each of them brought in. */
const ownPushes = `with recursive back (head, onto) as (
    select previous, array[onto] from pushed_head where account_id = $1 and repository_id = $2 and head = $4
    union
    select p.previous, b.onto || p.onto from pushed_head p join back b on p.head = b.head
    where p.account_id = $1 and p.repository_id = $2 and cardinality(b.onto) < 20)
  select onto from back where head = $3 order by cardinality(onto) limit 1`;

/** How many pushes of the service lead from one head to another. 0: another commit is between them. */
export async function countOwnPushes(
  ctx: Context,
  tx: Transaction,
  { repositoryId, from, to }: Heads,
): Promise<number> {
  const [found] = await tx.query<{ onto: string[] }>(ownPushes, [ctx.accountId, repositoryId, from, to]);
  return found?.onto.length ?? 0;
}

/** The commits that these pushes brought in. Empty if another commit is between the heads. */
export async function readBroughtIn(ctx: Context, { repositoryId, from, to }: Heads): Promise<readonly string[]> {
  const [found] = await ctx.db.read<{ onto: string[] }>(ctx.accountId, {
    name: 'brought_in_by_own_pushes',
    text: ownPushes,
    values: [ctx.accountId, repositoryId, from, to],
  });
  return found?.onto ?? [];
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
