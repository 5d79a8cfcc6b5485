// A pull request's branch brought up to date with its base, by merging or by rebasing. The new head is written down before
// it is pushed: whoever reads it, and however late, knows it for ours and not for a commit somebody added.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

export type BranchUpdated =
  /** `head` is where the branch is now; `moved` unless it contained the base already. */
  | { readonly kind: 'updated'; readonly head: string; readonly moved: boolean }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** A rebase leaves nothing: the base has all of its changes already. */
  | { readonly kind: 'empty' };

export interface BranchToUpdate {
  readonly host: HostedRepository;
  readonly headBranch: string;
  readonly baseBranch: string;
  /** The head the branch must be at. */
  readonly head: string;
  /** The base's commit. */
  readonly onto: string;
  readonly method: 'merge' | 'rebase';
  /** Same instant, same commits: trying again after a crash makes no second update. */
  readonly at: Date;
  /** Head of a pull request whose changes `onto` has, whatever commits brought them. */
  readonly belowHead?: string | null;
  /** Runs in the transaction that writes down a push for the first time. */
  readonly onFirstPush?: (tx: Transaction) => Promise<void>;
}

/** Throws RefMoved when the branch is elsewhere, HostRefused when the host does not take it. */
export async function updateBranch(ctx: Context, branch: BranchToUpdate): Promise<BranchUpdated> {
  const { host, head, onto, method, at } = branch;
  const adapter = ctx.hosts(host.host);
  const message = `Merge branch '${branch.baseBranch}' into ${branch.headBranch}\n`;
  const made = await adapter.composeUpdate(host, {
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
  await adapter.updateRefs(host, [{ ref: `refs/heads/${branch.headBranch}`, from: head, to: made.commit }]);
  await passFailpoint('update:after_push');
  return { kind: 'updated', head: made.commit, moved: true };
}
