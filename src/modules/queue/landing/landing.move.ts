// The move of a landing past its gate, by one atomic update of two refs (and, where asked for, the branches of a stack). Every attempt begins and ends by reading the
// landing ref: what it holds is what became of the landing, whoever did it.
import type { Context } from '../../../context.ts';
import { HostRefused, RefMoved, type HostCommit, type RefUpdate } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { findLandedTogether } from '../../../domain/queue/requests/stacks.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { PullRequestEntity } from '../store/queue.entities.ts';
import { isTombstone, landingRef, layTombstone, readLandingRef } from '../facts/landing-refs.ts';

export type Outcome =
  | { readonly kind: 'landed'; readonly commit: HostCommit }
  /** Nothing of it will ever land: the landing ref is a tombstone. */
  | { readonly kind: 'base_moved'; readonly ref: string }
  /** For good, and nothing was moved. */
  | { readonly kind: 'refused'; readonly words: string }
  /** The host made something else of it than what was tested. */
  | { readonly kind: 'mismatch'; readonly words: string };

export type Failure = Extract<Outcome, { kind: 'base_moved' | 'refused' }>;

export async function moveBase(ctx: Context, loaded: LoadedBatch): Promise<Outcome> {
  const { batch, host, baseBranch } = loaded;
  const base = `refs/heads/${baseBranch}`;
  const earlier = await readLandingRef(ctx, host, batch.id);
  if (earlier !== null) return await outcomeOf(ctx, loaded, earlier, { kind: 'base_moved', ref: base });
  await passFailpoint('landing:before_move');
  const landing: readonly RefUpdate[] = [
    { ref: base, from: batch.parentCommit, to: batch.commit ?? null },
    { ref: landingRef(batch.id), from: null, to: batch.commit ?? null },
  ];
  const branches = await branchesOfStack(ctx, loaded);
  // What was pushed to a branch past the gate, or is protected, does not stop the landing: then no branch moves.
  if (branches.length > 0 && (await tryMove(ctx, loaded, [...landing, ...branches])) === null)
    return await giveUp(ctx, loaded, { kind: 'base_moved', ref: landingRef(batch.id) });
  const failure = await tryMove(ctx, loaded, landing);
  return await giveUp(ctx, loaded, failure ?? { kind: 'base_moved', ref: landingRef(batch.id) });
}

/** Null: all of it is moved. */
async function tryMove(ctx: Context, { host }: LoadedBatch, updates: readonly RefUpdate[]): Promise<Failure | null> {
  try {
    await ctx.hosts(host.host).updateRefs(host, updates);
    return null;
  } catch (error) {
    if (error instanceof RefMoved) return { kind: 'base_moved', ref: error.ref };
    if (error instanceof HostRefused) return { kind: 'refused', words: error.message };
    throw error;
  }
}

/** The move may be ours, answered late: the landing ref alone tells. Nothing there, it is taken, so that none comes later. */
export async function giveUp(ctx: Context, loaded: LoadedBatch, failure: Failure): Promise<Outcome> {
  const now = (await readLandingRef(ctx, loaded.host, loaded.batch.id)) ?? (await layTombstone(ctx, loaded));
  return now === null ? failure : await outcomeOf(ctx, loaded, now, failure);
}

export async function outcomeOf(
  ctx: Context,
  { host }: LoadedBatch,
  commit: HostCommit,
  failure: Failure,
): Promise<Outcome> {
  return (await isTombstone(ctx, host, commit)) ? failure : { kind: 'landed', commit };
}

/**
 * With update_pr_commits_before_stack_merge the branches of a stack are moved to the commits that land, together with the
 * base: one atomic update does all of it, so that no landing that is given up leaves rewritten branches behind. Empty
 * unless asked for. Never a base branch, nor one that several pull requests have as their head.
 */
async function branchesOfStack(ctx: Context, loaded: LoadedBatch): Promise<readonly RefUpdate[]> {
  const { repository, members } = loaded;
  const configuration = configurationOf(repository);
  if (!configuration.merge_rules.merge_strategy.update_pr_commits_before_stack_merge) return [];
  const together = findLandedTogether(members);
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await tx.em.find(PullRequestEntity, { id: { $in: together.map((member) => member.pullRequestId) } }),
  );
  const branches = new Map(rows.map((row) => [row.id, row.headBranch]));
  const isShared = (branch: string): boolean => rows.filter((row) => row.headBranch === branch).length > 1;
  return together.flatMap(({ pullRequestId, pinnedHead, ownCommit }) => {
    const branch = branches.get(pullRequestId);
    if (branch === undefined || !ownCommit || isShared(branch)) return [];
    if (isManagedBranch(configuration, branch, repository.defaultBranch)) return [];
    return [{ ref: `refs/heads/${branch}`, from: pinnedHead, to: ownCommit }];
  });
}
