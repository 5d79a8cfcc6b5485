// Updates the branch of a pull request by merging the base branch into the branch, or by a rebase. The new head is
// recorded before the push, so that every later reader sees that the service made this head.
import type { Context } from '../../../context.ts';
import { decideBranchRefusal, type PullRequestHead } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, HostRefused, type HostedRepository } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';

export type BranchUpdateResult =
  /** `head` is the present head of the branch. `moved` is false if the branch already contained the base commit. */
  | { readonly kind: 'updated'; readonly head: string; readonly moved: boolean }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** The rebased branch has no changes: the base branch already contains all of them. */
  | { readonly kind: 'empty' };

export interface BranchToUpdate extends PullRequestHead {
  readonly host: HostedRepository;
  readonly baseBranch: string;
  /** The expected head of the branch. */
  readonly head: string;
  /** The commit of the base branch to which the branch is updated. */
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /**
   * The time of the commits. The same time gives the same commits, so that a retry after a crash makes no second
   * update.
   */
  readonly at: Date;
  /** The head of the pull request below, whose changes `onto` contains, possibly as other commits. */
  readonly belowHead?: string | null;
  /** Runs in the transaction that records the new head. It runs once for each new head. */
  readonly onFirstPush?: (tx: Transaction) => Promise<void>;
}

/**
 * Updates the branch. Throws RefMoved if the branch has another head, and HostRefused if the host refuses the push or
 * if the branch belongs to a fork.
 */
export async function updateBranch(ctx: Context, branch: BranchToUpdate): Promise<BranchUpdateResult> {
  const { host, head, onto, method, at } = branch;
  const refusal = decideBranchRefusal(branch);
  if (refusal !== null) throw new HostRefused(refusal);
  const client = hostClient(ctx, host);
  const message = `Merge branch '${branch.baseBranch}' into ${branch.headBranch}\n`;
  const made = await client.composeUpdate({
    head,
    onto,
    method,
    message,
    at: at.getTime(),
    belowHead: branch.belowHead ?? null,
  });
  if (made.kind !== 'composed') return made;
  if (made.commit === head) return { kind: 'updated', head, moved: false };
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const first = await tx.query(
      `insert into pushed_head (account_id, repository_id, head, previous, onto, pushed_at) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing returning 1`,
      [ctx.accountId, host.id, made.commit, head, onto, ctx.clock().toISOString()],
    );
    if (first.length > 0) await branch.onFirstPush?.(tx);
  });
  await passFailpoint('update:before_push');
  await client.updateRefs([{ ref: `refs/heads/${branch.headBranch}`, from: head, to: made.commit }]);
  await passFailpoint('update:after_push');
  return { kind: 'updated', head: made.commit, moved: true };
}
