// What the line says of one pull request that stands in it: the facts `explain` puts into words, by the planner's own rules.
import { findPass } from './failure.ts';
import { planFormation } from './formation.ts';
import { judgePatience } from './landing.ts';
import { isSuspended, membersOf, verdictOf, waitsForOwnChecks, type LineView } from './line.ts';
import { judgeGates } from './gates.ts';
import { ciDeadline, startDeadline, type BatchVerdict } from './verdict.ts';
import type { ExplainedBatch, ExplainedPullRequest } from './explain.ts';
import type { BatchState, Decision } from './snapshot.ts';

export type BatchCause = Extract<Decision, { kind: 'StartBatch' }>['cause'];

export type Standing = Pick<
  ExplainedPullRequest,
  'ahead' | 'isSuspended' | 'barrier' | 'companyUntil' | 'waitsForOwnChecks' | 'finalGate' | 'batch' | 'landingsFrom'
> & {
  /** Those before it that skip the line. */
  readonly skippers: readonly number[];
  /** Those directly before it, the nearest last; no more than a person reads. */
  readonly before: readonly number[];
  /** When its build is timed out. Null: never, or it does not run. */
  readonly buildUntil: number | null;
  /** When its own checks are too late. Null: they may run on. */
  readonly ownChecksUntil: number | null;
};

const mostNamed = 10;

/** Null: it does not stand in that line. `causes` says why each batch was started. */
export function standingOf(
  view: LineView,
  pullRequestId: string,
  causes: ReadonlyMap<string, BatchCause>,
): Standing | null {
  const place = view.inOrder.findIndex(({ id }) => id === pullRequestId);
  const pullRequest = view.pullRequests.get(pullRequestId);
  if (pullRequest === undefined) return null;
  // Beside the line nothing is before it.
  const ahead = Math.max(0, place);
  const before = view.inOrder.slice(0, ahead);
  const batch = view.batchOf.get(pullRequestId) ?? partOf(view, pullRequestId);
  const isNext = batch === null && place >= 0 && before.every(({ id }) => view.batchOf.has(id) || isOut(view, id));
  const formation = isNext ? planFormation(view) : null;
  return {
    ahead,
    isSuspended: ahead > 0 && isSuspended(view, pullRequest),
    barrier: batch === null ? (before.find(({ isBarrier }) => isBarrier)?.number ?? null) : null,
    companyUntil: formation?.kind === 'wait' ? formation.until : null,
    waitsForOwnChecks: waitsForOwnChecks(view, pullRequest),
    finalGate:
      batch === null || batch.beside !== null || ahead >= batch.members.length ? null : finalGateOf(view, batch),
    batch: batch === null ? null : batchOf(view, batch, { pullRequestId, causes }),
    landingsFrom: view.snapshot.queue.landingsFrom,
    skippers: before.filter(({ skipLine }) => skipLine).map(({ number }) => number),
    before: before.slice(-mostNamed).map(({ number }) => number),
    buildUntil: batch === null ? null : buildUntil(view, batch),
    ownChecksUntil: place === 0 ? judgePatience(view).until : null,
  };
}

/** Its batch beside the line, where it is built with others of a batch that failed. */
function partOf(view: LineView, pullRequestId: string): BatchState | null {
  const part = view.beside.find(
    ({ beside, members }) => beside === 'part' && members.some(({ pullRequest }) => pullRequest === pullRequestId),
  );
  return part ?? null;
}

/** The one that runs or is asked next. */
function finalGateOf(view: LineView, batch: BatchState): string | null {
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'green' || verdict.evidence === '') return null;
  const outlook = judgeGates(batch.gates ?? [], view.now);
  return outlook.kind === 'due' || outlook.kind === 'running' ? outlook.workflow : null;
}

function isOut(view: LineView, id: string): boolean {
  const pullRequest = view.pullRequests.get(id);
  return pullRequest !== undefined && isSuspended(view, pullRequest);
}

const verdictWords = {
  red: 'red',
  timed_out: 'red',
  gate_closed: 'red',
  green: 'green',
  pending: 'pending',
  worthless: 'pending',
} as const satisfies Record<BatchVerdict['kind'], ExplainedBatch['verdict']>;

function batchOf(
  view: LineView,
  batch: BatchState,
  of: { readonly pullRequestId: string; readonly causes: ReadonlyMap<string, BatchCause> },
): ExplainedBatch {
  const { kind } = verdictOf(view, batch);
  const verdict = verdictWords[kind];
  return {
    verdict,
    cause: of.causes.get(batch.id) ?? 'new',
    hasCommit: batch.commit !== null,
    landingBegun: batch.landingBegun,
    companions: membersOf(view, batch)
      .filter(({ id }) => id !== of.pullRequestId)
      .map(({ number }) => number),
    mayBePassed: verdict === 'red' && view.batches[0] === batch && findPass(view, 0) === 'wait',
  };
}

function buildUntil(view: LineView, batch: BatchState): number | null {
  if (verdictOf(view, batch).kind !== 'pending') return null;
  const { rules, builds } = view.snapshot;
  const build = builds.find(({ commit }) => commit === batch.testedCommit);
  const deadlines = [ciDeadline(batch, rules), startDeadline(batch, build, rules)].filter((at) => at !== null);
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}
