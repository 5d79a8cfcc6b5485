// Resets batches that are no longer valid. The first invalid batch and every batch built on it are reset for the same
// cause.
import {
  conflictingMember,
  isSuspended,
  mayLand,
  membersOf,
  verdictOf,
  withoutBatches,
  type LineView,
} from '../planning/line.ts';
import type { BatchState } from '../model/snapshot.ts';
import { type Cause, supersede, memberFault, ruleFault } from '../planning/resets.ts';
import type { Decision } from '../model/decision.ts';

interface Fault extends Cause {
  /** Index in the line of the first invalid batch. */
  readonly at: number;
}

export function resetInvalidBatches(view: LineView): {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
} {
  const decisions: Decision[] = [];
  let remaining = view;
  for (let fault = findFault(remaining); fault !== null; fault = findFault(remaining)) {
    const invalid = batchesFrom(remaining, fault.at);
    decisions.push(...supersede(invalid, fault));
    remaining = withoutBatches(remaining, invalid);
  }
  return { view: remaining, decisions };
}

/** The batches to reset. A batch without a commit, such as a probe, is reset alone, because nothing is built on it. */
function batchesFrom(view: LineView, at: number): readonly BatchState[] {
  return view.batches[at]?.commit === null ? view.batches.slice(at, at + 1) : view.batches.slice(at);
}

/** Compares the batches with the pull requests in line order. Null: every batch is valid. */
export function findFault(view: LineView): Fault | null {
  let index = 0;
  let parent = view.snapshot.queue.tip;
  for (const [at, batch] of view.batches.entries()) {
    if (batch.landingStarted) {
      // The batch lands with its pinned heads even if its members have changed since.
      const members = new Set(batch.members.map((member) => member.pullRequest));
      while (members.has(view.inOrder[index]?.id ?? '')) index += 1;
      parent = batch.commit ?? parent;
      continue;
    }
    index = skipSuspended(view, index);
    const cause =
      memberFault(view, batch) ??
      orderFault(view, batch, index) ??
      ruleFault(view, batch) ??
      parentFault(view, { at, parent }) ??
      outcomeFault(view, batch) ??
      skipFault(view, batch);
    if (cause !== null) return { at, ...cause };
    index += batch.members.length;
    // A batch without a commit cannot be a parent. The batches behind a probe stay until the probe has a commit.
    parent = batch.commit ?? parent;
  }
  return null;
}

function skipSuspended(view: LineView, index: number): number {
  let next = index;
  for (
    let candidate = view.inOrder[next];
    candidate !== undefined && isSuspended(view, candidate);
    candidate = view.inOrder[next]
  )
    next += 1;
  return next;
}

function orderFault(view: LineView, batch: BatchState, index: number): Cause | null {
  for (const [offset, member] of batch.members.entries()) {
    const expected = view.inOrder[index + offset];
    if (expected === undefined || expected.id === member.pullRequest) continue;
    return { code: expected.skipLine ? 302 : 309, causedBy: expected.id };
  }
  return null;
}

function parentFault(view: LineView, expected: { readonly at: number; readonly parent: string }): Cause | null {
  const batch = view.batches[expected.at];
  if (batch === undefined || batch.parentCommit === expected.parent) return null;
  const before = view.batches[expected.at - 1];
  // A batch that is now before this one is a probe whose merge succeeded.
  if (before !== undefined) return { code: 309, causedBy: before.members[0]?.pullRequest ?? null };
  const wasOnBase = batch.parentBatch === null || view.snapshot.queue.lineage.includes(batch.parentCommit);
  return { code: wasOnBase ? 305 : 301, causedBy: null };
}

function outcomeFault(view: LineView, batch: BatchState): Cause | null {
  const conflicting = batch.members[conflictingMember(view, batch)];
  if (conflicting !== undefined) return { code: 301, causedBy: conflicting.pullRequest };
  // A canceled build proves nothing about its pull requests, so they return to their places and count as untested.
  const verdict = verdictOf(view, batch);
  return verdict.kind === 'worthless' ? { code: verdict.code, causedBy: null } : null;
}

/**
 * The first pull request in line skips validation and may land now, but its batch waits for a build with others. The
 * batch is reset, so that the pull request lands alone. A pull request that skips validation behind others of its batch
 * lands after them, so that a reset would only delay both.
 */
function skipFault(view: LineView, batch: BatchState): Cause | null {
  const [first, ...others] = membersOf(view, batch);
  if (batch !== view.batches[0] || !first?.skipValidation || others.every((other) => other.skipValidation)) return null;
  if (!mayLand(view) || verdictOf(view, batch).kind !== 'pending') return null;
  return { code: 309, causedBy: first.id };
}
