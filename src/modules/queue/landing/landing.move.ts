// Moves the base branch of a landing that passed its gate, in one atomic update with the landing ref and, if
// configured, the branches of a stack. Every attempt begins and ends with a read of the landing ref, which decides the
// outcome for all workers.
import type { Context } from '../../../context.ts';
import {
  BranchRefused,
  hostClient,
  CommitMissing,
  type HostCommit,
  HostRefused,
  RefMoved,
  type RefUpdate,
} from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { isHeadBranch, ownHeadBranch } from '../../../domain/queue/requests/head-branch.ts';
import type { HeadMove } from '../../../domain/queue/landing/show-as-merged.ts';
import { findLandedTogether } from '../../../domain/queue/requests/stacks.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { PullRequestEntity } from '../store/queue.entities.ts';
import { fenceHeads, syncRestoredHeads, restoreHeads, moveHeads, type LandingAttempt } from './landing.heads.ts';
import { isTombstone, landingRef, writeTombstone, readLandingRef } from '../facts/landing-refs.ts';

export type Outcome =
  | { readonly kind: 'landed'; readonly commit: HostCommit }
  /** The batch will never land: its landing ref is a tombstone, or the host refuses landing refs. */
  | { readonly kind: 'base_moved'; readonly ref: string }
  /** Neither the host nor this machine has the commit. Nothing was moved. */
  | { readonly kind: 'commit_missing'; readonly commit: string }
  /** The host permanently refuses the landing. Nothing was moved. `isForAll`: it would refuse every other landing too. */
  | { readonly kind: 'refused'; readonly message: string; readonly isForAll: boolean }
  /** The host landed a commit that is not the tested one. */
  | { readonly kind: 'mismatch'; readonly message: string };

export type Failure = Extract<Outcome, { kind: 'base_moved' | 'commit_missing' | 'refused' }>;

export async function moveBase(ctx: Context, loaded: LoadedBatch, attempt: LandingAttempt): Promise<Outcome> {
  if (attempt.heads !== null) await fenceHeads(ctx, loaded);
  const earlier = await readLandingRef(ctx, loaded.host, loaded.batch.id);
  if (earlier !== null) {
    const outcome = await outcomeOf(ctx, loaded, {
      commit: earlier,
      failure: { kind: 'base_moved', ref: baseRef(loaded) },
    });
    return await withHeadsBack(ctx, loaded, { outcome, heads: attempt.heads ?? [] });
  }
  // If an earlier attempt ended after it may have moved heads, the heads are put back, and this attempt lands without
  // moving them.
  if (attempt.heads !== null) await restoreHeads(ctx, loaded, attempt.heads);
  const heads = attempt.heads === null ? await moveHeads(ctx, loaded, attempt) : [];
  const outcome = await moveAll(ctx, loaded, heads);
  return await withHeadsBack(ctx, loaded, { outcome, heads: attempt.heads ?? heads });
}

function baseRef({ baseBranch }: LoadedBatch): string {
  return `refs/heads/${baseBranch}`;
}

/** Puts the heads back, unless the batch has landed. */
async function withHeadsBack(
  ctx: Context,
  loaded: LoadedBatch,
  { outcome, heads }: { readonly outcome: Outcome; readonly heads: readonly HeadMove[] },
): Promise<Outcome> {
  if (outcome.kind === 'landed' || heads.length === 0) return outcome;
  await restoreHeads(ctx, loaded, heads);
  await syncRestoredHeads(ctx, loaded, heads);
  return outcome;
}

async function moveAll(ctx: Context, loaded: LoadedBatch, heads: readonly HeadMove[]): Promise<Outcome> {
  const { batch } = loaded;
  await passFailpoint('landing:before_move');
  const landing: readonly RefUpdate[] = [
    { ref: baseRef(loaded), from: batch.parentCommit, to: batch.commit ?? null },
    { ref: landingRef(batch.id), from: null, to: batch.commit ?? null },
  ];
  const isMoved = ({ ref }: RefUpdate): boolean => heads.some(({ branch }) => ref === `refs/heads/${branch}`);
  const branches = (await branchesOfStack(ctx, loaded)).filter((update) => !isMoved(update));
  // A push to one of these branches after the gate, or a protection of such a branch, does not prevent the landing.
  // Then none of these branches is moved.
  if (branches.length > 0 && (await tryMove(ctx, loaded, [...landing, ...branches])) === null)
    return await settleOutcome(ctx, loaded, { kind: 'base_moved', ref: landingRef(batch.id) });
  const failure = await tryMove(ctx, loaded, landing);
  return await settleOutcome(ctx, loaded, failure ?? { kind: 'base_moved', ref: landingRef(batch.id) });
}

/** Null: all refs were moved. */
async function tryMove(ctx: Context, { host }: LoadedBatch, updates: readonly RefUpdate[]): Promise<Failure | null> {
  try {
    await hostClient(ctx, host).updateRefs(updates);
    return null;
  } catch (error) {
    if (error instanceof RefMoved) return { kind: 'base_moved', ref: error.ref };
    if (error instanceof CommitMissing) return { kind: 'commit_missing', commit: error.commit };
    if (error instanceof HostRefused)
      return { kind: 'refused', message: error.message, isForAll: error instanceof BranchRefused };
    throw error;
  }
}

/**
 * Decides the outcome after an attempt, successful or not. Only the landing ref shows whether the batch landed, because
 * the response of the host may have been lost. If there is no landing ref, a tombstone is written, so that no later
 * update succeeds, and the outcome is `failure`.
 */
export async function settleOutcome(ctx: Context, loaded: LoadedBatch, failure: Failure): Promise<Outcome> {
  const landed = (await readLandingRef(ctx, loaded.host, loaded.batch.id)) ?? (await writeTombstone(ctx, loaded));
  return landed === null ? failure : await outcomeOf(ctx, loaded, { commit: landed, failure });
}

export async function outcomeOf(
  ctx: Context,
  { batch, host }: LoadedBatch,
  { commit, failure }: { readonly commit: HostCommit; readonly failure: Failure },
): Promise<Outcome> {
  const isLanded = commit.commit === batch.commit || !(await isTombstone(ctx, host, commit));
  return isLanded ? { kind: 'landed', commit } : failure;
}

/**
 * The branches of a stack that move to their landed commits, if `update_pr_commits_before_stack_merge` is set;
 * otherwise none. They move in the same atomic update as the base branch, so that a landing that fails leaves no
 * rewritten branch. A managed branch, a branch of a fork, or the head branch of several pull requests is never moved.
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
  const branches = new Map(rows.map((row) => [row.id, ownHeadBranch(row)]));
  const isShared = (branch: string): boolean => rows.filter((row) => isHeadBranch(row, branch)).length > 1;
  return together.flatMap(({ pullRequestId, pinnedHead, ownCommit }) => {
    const branch = branches.get(pullRequestId);
    if (!branch || !ownCommit || isShared(branch)) return [];
    if (isManagedBranch(configuration, branch, repository.defaultBranch)) return [];
    return [{ ref: `refs/heads/${branch}`, from: pinnedHead, to: ownCommit }];
  });
}
