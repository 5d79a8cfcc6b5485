// Updates a pull request's branch with its base, by a merge or a rebase. The new head is recorded before it is pushed,
// so that every later reader knows that the service made it.
import type { Context } from '../../../context.ts';
import { decideBranchRefusal, type PullRequestHead } from '../../../domain/queue/requests/head-branch.ts';
import { hostClient, HostRefused } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

export type BranchUpdated =
  /** `head` is the branch's head now. `moved` is false if it contained the base already. */
  | { readonly kind: 'updated'; readonly head: string; readonly moved: boolean }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** The rebase is empty: the base already has all its changes. */
  | { readonly kind: 'empty' };

export interface BranchToUpdate extends PullRequestHead {
  readonly host: HostedRepository;
  readonly baseBranch: string;
  /** The expected head of the branch. */
  readonly head: string;
  /** The base's commit. */
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /** The same instant gives the same commits, so that a retry after a crash makes no second update. */
  readonly at: Date;
  /** Head of a pull request whose changes `onto` contains, perhaps by other commits. */
  readonly belowHead?: string | null;
  /** Runs in the transaction that records a push for the first time. */
  readonly onFirstPush?: (tx: Transaction) => Promise<void>;
}

/**
 * Throws RefMoved when the branch is elsewhere, HostRefused when the host does not take it, or a fork has the branch.
 */
export async function updateBranch(ctx: Context, branch: BranchToUpdate): Promise<BranchUpdated> {
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
