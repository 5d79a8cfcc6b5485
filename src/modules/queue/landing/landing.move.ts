// The move of a landing past its gate, by one atomic update of two refs. Every attempt begins and ends by reading the
// landing ref: what it holds is what became of the landing, whoever did it.
import type { Context } from '../../../context.ts';
import { HostRefused, RefMoved, type HostCommit } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../builds/batch.rows.ts';
import { passFailpoint } from './failpoints.ts';
import { isTombstone, landingRef, layTombstone, readLandingRef } from './landing-refs.ts';

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
  let failure: Failure;
  try {
    await ctx.hosts(host.host).updateRefs(host, [
      { ref: base, from: batch.parentCommit, to: batch.commit ?? null },
      { ref: landingRef(batch.id), from: null, to: batch.commit ?? null },
    ]);
    failure = { kind: 'base_moved', ref: landingRef(batch.id) };
  } catch (error) {
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
    failure =
      error instanceof RefMoved ? { kind: 'base_moved', ref: error.ref } : { kind: 'refused', words: error.message };
  }
  return await giveUp(ctx, loaded, failure);
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
