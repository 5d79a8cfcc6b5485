// Ends a failed batch: the batch is bisected, or its members are requeued or blocked.
import { membersOf, withChange, withoutBatches, withoutPullRequests, type LineView, type Step } from './line.ts';
import type { Cause } from './resets.ts';
import { failedChecksText } from '../model/status.ts';
import type { BatchState, BlockCode, PullRequestState } from '../model/snapshot.ts';
import type { BatchVerdict } from '../evidence/verdict.ts';
import type { Decision } from '../model/decision.ts';
import type { FailedBuild } from '../model/decision.ts';

export type Failure = Extract<BatchVerdict, { kind: 'red' | 'timed_out' | 'gate_closed' }>;

export function isFailure(verdict: BatchVerdict): verdict is Failure {
  return verdict.kind === 'red' || verdict.kind === 'timed_out' || verdict.kind === 'gate_closed';
}

const gateGroup = 'gate:';

export function isGateGroup(group: string | null): boolean {
  return group?.startsWith(gateGroup) ?? false;
}

/**
 * The group of a bisection. If a final gate stopped a batch, the groups of all its parts begin with `gate:`, even if a
 * part fails for another reason.
 */
function groupOf(view: LineView, head: BatchState, failure: Failure): string {
  const isStoppedByGate =
    failure.kind === 'gate_closed' ||
    membersOf(view, head).some((member) => isGateGroup(member.bisection?.group ?? null));
  return isStoppedByGate ? `${gateGroup}${head.id}` : head.id;
}

/** Null: no check failed. The build timed out, or a final gate stopped it. */
export function failedBuildOf(head: BatchState | undefined, failure: Failure): FailedBuild | null {
  return head === undefined || failure.kind !== 'red' ? null : { batch: head.id, failedChecks: failure.failedChecks };
}

export function causeOf(failedBatch: BatchState, failure: Failure): Cause {
  return {
    code: 301,
    causedBy: failedBatch.members[0]?.pullRequest ?? null,
    failedBuild: failedBuildOf(failedBatch, failure),
  };
}

export function mayBisect(view: LineView, head: BatchState): boolean {
  const { maxBisectionAttempts } = view.snapshot.rules;
  const isAllowed = maxBisectionAttempts === null || attemptsOf(view, head) < maxBisectionAttempts;
  return head.members.length > 1 && isAllowed;
}

function attemptsOf(view: LineView, head: BatchState): number {
  return Math.max(0, ...membersOf(view, head).map((member) => member.bisection?.attempts ?? 0));
}

/**
 * The end of a batch. `departures` are the decisions about its members. They follow the resets of the batches that were
 * built on it.
 */
interface Ending extends Step {
  readonly departures: readonly Decision[];
}

export function bisect(view: LineView, batch: BatchState, failure: Failure): Ending {
  const ids = batch.members.map((member) => member.pullRequest);
  const { maxBisectedBatchSize, useParallelBisection } = view.snapshot.rules;
  const halves = partition(ids, maxBisectedBatchSize);
  const attempts = attemptsOf(view, batch) + 1;
  const group = groupOf(view, batch, failure);
  // The parts stay in line if a final gate stopped the batch, because no final gate runs for a side build. They also
  // stay in line if a member is stacked, because a stacked pull request keeps its place.
  const mustStayInLine = isGateGroup(group) || membersOf(view, batch).some((member) => member.stack !== null);
  const phase = useParallelBisection && !mustStayInLine ? 'side_build' : 'in_place';
  const decision: Decision = {
    kind: 'BisectBatch',
    batch: batch.id,
    group,
    halves,
    attempts,
    phase,
    text: textOf(failure),
  };
  const halved = withChange(withoutBatches(view, withAbove(view, batch)), ids, {
    bisection: { group, max: halves[0]?.length ?? 1, attempts, phase },
  });
  return { view: halved, decisions: [decision], departures: [] };
}

/** The batch and all batches built on it. No batch is built on a side build. */
function withAbove(view: LineView, batch: BatchState): readonly BatchState[] {
  return batch.sideBuild === null ? view.batches.slice(view.batches.indexOf(batch)) : [batch];
}

/** Splits into halves, of which the first may be larger, or into parts of at most `max`. */
function partition<T>(members: readonly T[], max: number | null): readonly (readonly T[])[] {
  const size = Math.min(Math.ceil(members.length / 2), max ?? Infinity);
  return Array.from({ length: Math.ceil(members.length / size) }, (_, part) =>
    members.slice(part * size, (part + 1) * size),
  );
}

/** Ends a failed batch that is not bisected. Every member is requeued, or blocked if it may not be requeued. */
export function fail(view: LineView, batch: BatchState, failure: Failure): Ending {
  const left = withoutBatches(view, withAbove(view, batch));
  const departures = requeueOrBlock(left, membersOf(view, batch), { batch, failure });
  return { ...departures, decisions: [{ kind: 'FailBatch', batch: batch.id, text: textOf(failure) }] };
}

/**
 * Ends a failed batch of which some members have landed since its build began. Only the `remaining` members are
 * requeued or blocked.
 */
export function failRemaining(
  view: LineView,
  batch: BatchState,
  of: { readonly failure: Failure; readonly remaining: readonly PullRequestState[] },
): Ending {
  const departures = requeueOrBlock(withoutBatches(view, [batch]), of.remaining, { batch, failure: of.failure });
  return { ...departures, decisions: [{ kind: 'ReturnBatch', batch: batch.id, code: 309 }] };
}

function requeueOrBlock(
  view: LineView,
  members: readonly PullRequestState[],
  { batch, failure }: { readonly batch: BatchState; readonly failure: Failure },
): Pick<Ending, 'view' | 'departures'> {
  const failedBuild = failedBuildOf(batch, failure);
  const { maxRequeueAttempts } = view.snapshot.rules;
  let left = view;
  const departures = members.map((member): Decision => {
    if (failedBuild !== null && member.ownVerdict === 'green' && member.requeueAttempts < maxRequeueAttempts) {
      left = withChange(left, [member.id], { requeueAttempts: member.requeueAttempts + 1 });
      return { kind: 'RequeuePullRequest', pullRequest: member.id, failedBuild };
    }
    left = withoutPullRequests(left, new Map([[member.id, 301]]));
    return blockForFailure(member, { failure, members });
  });
  return { view: left, departures };
}

function blockForFailure(
  member: PullRequestState,
  of: { readonly failure: Failure; readonly members: readonly PullRequestState[] },
): Decision {
  const { failure } = of;
  const otherMembers = of.members.filter((other) => other !== member).map((other) => `#${other.number}`);
  const isolation =
    otherMembers.length === 0
      ? ''
      : ` It was tested together with ${otherMembers.join(', ')}. It is not known which pull request is at fault.`;
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
