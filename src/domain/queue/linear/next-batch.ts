// Decides which batch starts next at the end of the line. The batch contains the next pull requests in order, as many
// as the rules allow.
import { isSuspended, verdictOf, type LineView } from '../planning/line.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import { hasCapacity } from '../planning/capacity.ts';
import { countHeld } from './landing.ts';
import { unitAt, hasOwnBatch, isBuiltAlone } from '../planning/units.ts';
import type { Decision } from '../model/decision.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

export type NextBatch =
  | { readonly kind: 'start'; readonly decision: StartBatch }
  /** The batch is not full, and waits for further pull requests until the instant `until`. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'nothing' };

const nothing: NextBatch = { kind: 'nothing' };

/** At most one batch starts at a time, because a batch without a commit cannot be a parent. */
export function planNextBatch(view: LineView): NextBatch {
  const { queue, rules } = view.snapshot;
  if (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0) return nothing;
  const first = view.inOrder[0];
  const isProbeDue =
    first !== undefined && view.batches.length > 0 && !view.batches[0]?.landingStarted && isSuspended(view, first);
  const held = countHeld(view);
  if (isProbeDue) return hasCapacity(view, [first], held) ? { kind: 'start', decision: probe(view, first) } : nothing;
  if (!isEndOpen(view)) return nothing;
  const { members, isClosed } = gather(view);
  const oldest = members[0];
  if (oldest === undefined || !hasCapacity(view, members, held)) return nothing;
  const until = Math.min(...members.map((member) => member.queuedAt)) + rules.batchMaxWaitMinutes * 60_000;
  if (!isClosed && oldest.bisection === null && view.now < until) return { kind: 'wait', until };
  return { kind: 'start', decision: startAtEnd(view, members, causeOf(view, oldest)) };
}

/** A batch of these members at the end of the line. */
export function startAtEnd(
  view: LineView,
  members: readonly PullRequestState[],
  cause: StartBatch['cause'],
): StartBatch {
  const { tip, nextPosition } = view.snapshot.queue;
  const last = view.batches.at(-1);
  return {
    kind: 'StartBatch',
    position: nextPosition,
    members: members.map((member) => ({ pullRequest: member.id, head: member.head })),
    parentBatch: last?.id ?? null,
    parentCommit: last?.commit ?? tip,
    // Batches may have landed since `last` was made, so the base is the parent of the first live batch.
    base: view.batches[0]?.parentCommit ?? tip,
    sideBuild: null,
    assumes: [],
    restsOn: [],
    cause,
  };
}

/**
 * A batch of one pull request on the tip, before the batches that were built without it. These batches stay until the
 * merge of the pull request is known to succeed.
 */
function probe(view: LineView, pullRequest: PullRequestState): StartBatch {
  const { tip, nextPosition } = view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: (view.batches[0]?.position ?? nextPosition) - 1,
    members: [{ pullRequest: pullRequest.id, head: pullRequest.head }],
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    sideBuild: null,
    assumes: [],
    restsOn: [],
    cause: 'probe',
  };
}

function causeOf(view: LineView, first: PullRequestState): StartBatch['cause'] {
  if (isSuspended(view, first)) return 'probe';
  if (first.bisection !== null) return 'bisect';
  return first.requeueAttempts > 0 ? 'retry' : 'new';
}

/**
 * Whether another batch may start at the end of the line. Nothing is built on a batch that is red or has no commit.
 * Serial mode has one batch at a time.
 */
function isEndOpen(view: LineView): boolean {
  if (view.snapshot.rules.mode !== 'parallel') return view.batches.length === 0;
  return view.batches.every(
    (batch) => batch.commit !== null && !['red', 'timed_out', 'gate_closed'].includes(verdictOf(view, batch).kind),
  );
}

/** The next pull requests without a batch. `isClosed`: no later pull request can join them. */
function gather(view: LineView): { readonly members: readonly PullRequestState[]; readonly isClosed: boolean } {
  // A suspended pull request conflicts with the line, or is stacked on a pull request that does. If no batch exists, it
  // is built on the tip like any other pull request.
  const hasNoBatches = view.batches.length === 0;
  const start = view.inOrder.findIndex(
    (candidate, index) =>
      !view.batchOf.has(candidate.id) && ((hasNoBatches && index === 0) || !isSuspended(view, candidate)),
  );
  const first = view.inOrder[start];
  if (first === undefined || view.inOrder.slice(0, start).some((before) => before.isBarrier))
    return { members: [], isClosed: false };
  const size = sizeFor(view, first);
  const members = [...unitAt(view, start)];
  for (;;) {
    const next = view.inOrder[start + members.length];
    if (members.length >= size) return { members, isClosed: true };
    if (next === undefined) return { members, isClosed: false };
    if (isBuiltAlone(view, next) || next.bisection?.group !== first.bisection?.group)
      return { members, isClosed: true };
    const unit = unitAt(view, start + members.length);
    if (members.length + unit.length > size) return { members, isClosed: true };
    members.push(...unit);
  }
}

function sizeFor(view: LineView, first: PullRequestState): number {
  if (hasOwnBatch(view, first)) return 1;
  // The minimum is needed because an optimistic batch may exceed the batch size, and so may its half.
  return Math.min(view.snapshot.rules.batchSize, first.bisection?.max ?? Infinity);
}
