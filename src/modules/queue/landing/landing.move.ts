// The move of a landing past its gate, by one atomic update of two refs (and, where asked for, the branches of a stack). Every attempt begins and ends by reading the
// landing ref: what it holds is what became of the landing, whoever did it.
import type { Context } from '../../../context.ts';
import { HostRefused, RefMoved, type HostCommit, type RefUpdate } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { branchesOfStack } from './landing.branches.ts';
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
