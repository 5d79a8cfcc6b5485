// A red build at the head of the line: is it passed by a later green one, waited for, halved, tried again, or blamed?
import { startAtEnd } from './formation.ts';
import { membersOf, verdictOf, withChanged, withoutBatches, withoutPullRequests, type LineView } from './line.ts';
import { supersede } from './resets.ts';
import { failedChecksText } from './status.ts';
import type { BatchState, BlockCode, Decision, FailedBuild, PullRequestState } from './snapshot.ts';
import type { BatchVerdict } from './verdict.ts';

export interface Step {
  readonly view: LineView;
  readonly decisions: readonly Decision[];
}

type Failure = Extract<BatchVerdict, { kind: 'red' | 'timed_out' | 'gate_closed' }>;

/**
 * Only the head of a line that stands is judged, and with nothing undecided before it: its parent is the tip, while
 * elsewhere an assumption may be at fault.
 */
export function judgeHead(view: LineView): Step {
  const unchanged: Step = { view, decisions: [] };
  const head = view.batches[0];
  if (head === undefined || view.inOrder[0]?.id !== head.members[0]?.pullRequest) return unchanged;
  const verdict = verdictOf(view, head);
  if (!isFailure(verdict)) return unchanged;
  // A later build says nothing of a gate, which it has not been through.
  const outlook = verdict.kind === 'gate_closed' ? 'none' : findPass(view);
  if (outlook === 'wait') return unchanged;
  if (outlook !== 'none') return view.snapshot.queue.paused ? unchanged : passOver(view, { green: outlook, verdict });
  return mayBisect(view, head) ? bisectHead(view, head, verdict) : failHead(view, head, verdict);
}

function isFailure(verdict: BatchVerdict): verdict is Failure {
  return verdict.kind === 'red' || verdict.kind === 'timed_out' || verdict.kind === 'gate_closed';
}

/** Index of the green batch that passes the red head, `wait` while one within the failure depth is pending. */
export function findPass(view: LineView): number | 'wait' | 'none' {
  const { mode, useOptimisticValidation, optimisticValidationFailureDepth: depth } = view.snapshot.rules;
  if (mode !== 'parallel' || !useOptimisticValidation) return 'none';
  let isPending = false;
  let place = view.batches[0]?.members.length ?? 0;
  for (const [offset, batch] of view.batches.slice(1, depth + 1).entries()) {
    // A suspended pull request stands between: it must not be passed over.
    if (view.inOrder[place]?.id !== batch.members[0]?.pullRequest) break;
    place += batch.members.length;
    const verdict = verdictOf(view, batch);
    // Skipped validation is no evidence, and what failed together is not put together again.
    if (verdict.kind === 'green' && verdict.evidence !== '' && !haveFailedTogether(view, offset + 1)) return offset + 1;
    if (verdict.kind === 'pending') isPending = true;
  }
  return isPending ? 'wait' : 'none';
}

/**
 * As one bisected group; or some of them at a final gate, which the green build that would pass them has not been
 * through: put together they would be kept back there, halved, and passed again without end.
 */
function haveFailedTogether(view: LineView, last: number): boolean {
  const groups = new Set(
    view.batches
      .slice(0, last + 1)
      .flatMap((batch) => membersOf(view, batch).map((member) => member.bisection?.group ?? null)),
  );
  return [...groups].some(isOfGate) || (groups.size === 1 && !groups.has(null));
}

const gateGroup = 'gate:';

function isOfGate(group: string | null): boolean {
  return group?.startsWith(gateGroup) ?? false;
}

/** A part of what was kept back by a gate stays that, whatever it fails by. */
function groupOf(view: LineView, head: BatchState, failure: Failure): string {
  const isKeptBack =
    failure.kind === 'gate_closed' || membersOf(view, head).some((member) => isOfGate(member.bisection?.group ?? null));
  return isKeptBack ? `${gateGroup}${head.id}` : head.id;
}

/** One new batch on the tip of all up to the green one: its tree is the green one's, so that the look-up finds it. */
function passOver(view: LineView, pass: { readonly green: number; readonly verdict: Failure }): Step {
  const members = view.batches.slice(0, pass.green + 1).flatMap((batch) => membersOf(view, batch));
  const failedBuild = failedBuildOf(view.batches[0], pass.verdict);
  const decisions = supersede(view.batches, { code: 301, causedBy: members[0]?.id ?? null, failedBuild });
  const empty = withoutBatches(view, view.batches);
  return { view: empty, decisions: [...decisions, startAtEnd(empty, members, 'optimistic')] };
}

/** Null: no check of it failed. It ran out of time, or a final gate kept it back. */
function failedBuildOf(head: BatchState | undefined, failure: Failure): FailedBuild | null {
  return head === undefined || failure.kind !== 'red' ? null : { batch: head.id, failedChecks: failure.failedChecks };
}

function mayBisect(view: LineView, head: BatchState): boolean {
  const { maxBisectionAttempts } = view.snapshot.rules;
  const isAllowed = maxBisectionAttempts === null || attemptsOf(view, head) < maxBisectionAttempts;
  return head.members.length > 1 && isAllowed;
}

function attemptsOf(view: LineView, head: BatchState): number {
  return Math.max(0, ...membersOf(view, head).map((member) => member.bisection?.attempts ?? 0));
}

function bisectHead(view: LineView, head: BatchState, failure: Failure): Step {
  const ids = head.members.map((member) => member.pullRequest);
  const halves = partition(ids, view.snapshot.rules.maxBisectedBatchSize);
  const attempts = attemptsOf(view, head) + 1;
  const group = groupOf(view, head, failure);
  const bisect: Decision = {
    kind: 'BisectBatch',
    batch: head.id,
    group,
    halves,
    attempts,
    text: textOf(failure),
  };
  const halved = withChanged(withoutBatches(view, view.batches), ids, {
    bisection: { group, max: halves[0]?.length ?? 1, attempts },
  });
  const cause = { code: 301, causedBy: ids[0] ?? null, failedBuild: failedBuildOf(head, failure) } as const;
  return { view: halved, decisions: [bisect, ...supersede(view.batches.slice(1), cause)] };
}

/** Halves, the first one the larger, or more and smaller parts where that is asked for. */
function partition<T>(members: readonly T[], most: number | null): readonly (readonly T[])[] {
  const size = Math.min(Math.ceil(members.length / 2), most ?? Infinity);
  return Array.from({ length: Math.ceil(members.length / size) }, (_, part) =>
    members.slice(part * size, (part + 1) * size),
  );
}

/** Who failed alone is blamed alone; where no further bisection is allowed, all that is left of the batch. */
function failHead(view: LineView, head: BatchState, failure: Failure): Step {
  const members = membersOf(view, head);
  const failedBuild = failedBuildOf(head, failure);
  const resets: readonly Decision[] = [
    { kind: 'FailBatch', batch: head.id, text: textOf(failure) },
    ...supersede(view.batches.slice(1), { code: 301, causedBy: members[0]?.id ?? null, failedBuild }),
  ];
  const { maxRequeueAttempts } = view.snapshot.rules;
  let left = withoutBatches(view, view.batches);
  const decisions = members.map((member): Decision => {
    if (failedBuild !== null && member.ownVerdict === 'green' && member.requeueAttempts < maxRequeueAttempts) {
      left = withChanged(left, [member.id], { requeueAttempts: member.requeueAttempts + 1 });
      return { kind: 'RequeuePullRequest', pullRequest: member.id, failedBuild };
    }
    left = withoutPullRequests(left, new Map([[member.id, 301]]));
    return blame(member, { failure, members });
  });
  return { view: left, decisions: [...resets, ...decisions] };
}

function blame(
  member: PullRequestState,
  of: { readonly failure: Failure; readonly members: readonly PullRequestState[] },
): Decision {
  const { failure } = of;
  const companions = of.members.filter((other) => other !== member).map((other) => `#${other.number}`);
  const isolation =
    companions.length === 0
      ? ''
      : ` It was tested together with ${companions.join(', ')}: which of them is at fault was not found out.`;
  return {
    kind: 'BlockPullRequest',
    pullRequest: member.id,
    code: codes[failure.kind],
    text: `${textOf(failure)}${isolation}`,
    failedChecks: failure.kind === 'red' ? failure.failedChecks : [],
  };
}

const codes = { red: 107, timed_out: 111, gate_closed: 119 } as const satisfies Record<Failure['kind'], BlockCode>;

function textOf(failure: Failure): string {
  return failure.kind === 'red' ? failedChecksText(failure.failedChecks, failure.missing) : failure.text;
}
