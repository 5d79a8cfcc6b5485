// A red build at the head of the line: is it passed by a later green one, waited for, halved, tried again, or blamed?
import { startAtEnd } from './formation.ts';
import { membersOf, verdictOf, withChanged, withoutBatches, withoutPullRequests, type LineView } from './line.ts';
import { supersede } from './resets.ts';
import { blockText } from './status.ts';
import type { BatchState, Decision, PullRequestState } from './snapshot.ts';
import type { BatchVerdict } from './verdict.ts';

export interface Step {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
}

type Failure = Extract<BatchVerdict, { kind: 'red' | 'timed_out' }>;

/**
 * Only the head of a line that stands is judged, and with nothing undecided before it: its parent is the tip, while
 * elsewhere an assumption may be at fault.
 */
export function judgeHead(view: LineView): Step {
  const unchanged: Step = { view, decisions: [] };
  const head = view.batches[0];
  if (head === undefined || view.inOrder[0]?.id !== head.members[0]?.pullRequest) return unchanged;
  const verdict = verdictOf(view, head);
  if (verdict.kind !== 'red' && verdict.kind !== 'timed_out') return unchanged;
  const outlook = findPass(view);
  if (outlook === 'wait') return unchanged;
  if (outlook !== 'none') return view.snapshot.queue.paused ? unchanged : passOver(view, outlook);
  return head.members.length > 1 ? bisectHead(view, head) : failHead(view, head, verdict);
}

/** Index of the green batch that passes the red head, `wait` while one within the failure depth is pending. */
function findPass(view: LineView): number | 'wait' | 'none' {
  const { mode, useOptimisticValidation, optimisticValidationFailureDepth: depth } = view.snapshot.rules;
  if (mode !== 'parallel' || !useOptimisticValidation) return 'none';
  let isPending = false;
  let place = view.batches[0]?.members.length ?? 0;
  for (const [offset, batch] of view.batches.slice(1, depth + 1).entries()) {
    // A suspended pull request stands between: it must not be passed over.
    if (view.inOrder[place]?.id !== batch.members[0]?.pullRequest) break;
    place += batch.members.length;
    const verdict = verdictOf(view, batch);
    // Skipped validation is no evidence, and a group that was red together is not put together again.
    if (verdict.kind === 'green' && verdict.evidence !== '' && !areOneBisection(view, offset + 1)) return offset + 1;
    if (verdict.kind === 'pending') isPending = true;
  }
  return isPending ? 'wait' : 'none';
}

function areOneBisection(view: LineView, last: number): boolean {
  const groups = new Set(
    view.batches
      .slice(0, last + 1)
      .flatMap((batch) => membersOf(view, batch).map((member) => member.bisection?.group ?? null)),
  );
  return groups.size === 1 && !groups.has(null);
}

/** One new batch on the tip of all up to the green one: its tree is the green one's, so that the look-up finds it. */
function passOver(view: LineView, green: number): Step {
  const members = view.batches.slice(0, green + 1).flatMap((batch) => membersOf(view, batch));
  const decisions = supersede(view.batches, { code: 301, causedBy: members[0]?.id ?? null });
  const empty = withoutBatches(view, view.batches);
  return { view: empty, decisions: [...decisions, startAtEnd(empty, members, 'optimistic')] };
}

function bisectHead(view: LineView, head: BatchState): Step {
  const ids = head.members.map((member) => member.pullRequest);
  const halves = halve(ids);
  const bisect: Decision = { kind: 'BisectBatch', batch: head.id, group: head.id, halves };
  const halved = withChanged(withoutBatches(view, view.batches), ids, {
    bisection: { group: head.id, max: halves[0].length },
  });
  return {
    view: halved,
    decisions: [bisect, ...supersede(view.batches.slice(1), { code: 301, causedBy: ids[0] ?? null })],
  };
}

/** The first half is the larger one. */
function halve<T>(members: readonly T[]): readonly [readonly T[], readonly T[]] {
  const middle = Math.ceil(members.length / 2);
  return [members.slice(0, middle), members.slice(middle)];
}

function failHead(view: LineView, head: BatchState, failure: Failure): Step {
  const [member] = membersOf(view, head);
  if (member === undefined) return { view, decisions: [] };
  const resets = [
    { kind: 'FailBatch', batch: head.id } as const,
    ...supersede(view.batches.slice(1), { code: 301, causedBy: member.id }),
  ];
  const empty = withoutBatches(view, view.batches);
  const { maxRequeueAttempts } = view.snapshot.rules;
  if (failure.kind === 'red' && member.ownVerdict === 'green' && member.requeueAttempts < maxRequeueAttempts) {
    const requeued = withChanged(empty, [member.id], { requeueAttempts: member.requeueAttempts + 1 });
    return { view: requeued, decisions: [...resets, { kind: 'RequeuePullRequest', pullRequest: member.id }] };
  }
  return {
    view: withoutPullRequests(empty, new Map([[member.id, 301]])),
    decisions: [...resets, blame(member, failure)],
  };
}

function blame(member: PullRequestState, failure: Failure): Decision {
  if (failure.kind === 'timed_out')
    return { kind: 'BlockPullRequest', pullRequest: member.id, code: 111, text: blockText(111), failedChecks: [] };
  const { failedChecks } = failure;
  // Red without a failed check: CI ended without running any.
  const text = blockText(107, failedChecks.length > 0 ? failedChecks : ['no check ran']);
  return { kind: 'BlockPullRequest', pullRequest: member.id, code: 107, text, failedChecks };
}
