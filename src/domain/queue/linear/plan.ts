// The planner for queues whose batches form one line, each built on the batch before it.
//
// The steps, each on the line that the previous step left: block pull requests that failed by themselves → hold the
// pull requests stacked on them → reset outdated batches → judge the side builds and a red head → dequeue stuck pull
// requests → start batches, side builds first → announce → read checks from the host → start a final gate, or land.
import { announceTop, planAgain, readUnstartedBuilds } from '../planning/announcements.ts';
import { blockFailedPullRequests, holdPullRequestsAbove } from '../planning/departures.ts';
import { gateDeadline } from '../planning/green-batch.ts';
import type { LineView, Step } from '../planning/line.ts';
import { planNextBatch, type NextBatch } from './next-batch.ts';
import { judgeOwnCheckWait, planLanding } from './landing.ts';
import { judgeHead, type Judgement } from './red-head.ts';
import { findFault, resetInvalidBatches } from './resets.ts';
import { isolationsAt, judgeSideBuilds, planSideBuilds } from './side-builds.ts';
import type { Decision } from '../model/decision.ts';

export function planLinearly(view: LineView): Decision[] {
  if (hasLandingStarted(view)) return planBehindLanding(view);
  const after = planDepartures(view);
  const sideBuilds = planSideBuilds(after.view);
  const next: NextBatch =
    after.start === null ? planNextBatch(sideBuilds.view) : { kind: 'start', decision: after.start };
  return [
    ...after.decisions,
    ...sideBuilds.decisions,
    ...starts(next),
    ...announceTop(after.view),
    ...readUnstartedBuilds(after.view),
    ...planLanding(after.view),
    ...planAgain(after.view, [waitOf(next), after.until, ...deadlines(after.view)]),
  ];
}

function hasLandingStarted({ batches, sideBuilds }: LineView): boolean {
  return [...batches, ...sideBuilds].some((batch) => batch.landingStarted);
}

/**
 * While a landing is under way, no batch is reset and no pull request is blocked or requeued, because the outcome of
 * the landing may change the line. New batches may still start.
 */
function planBehindLanding(view: LineView): Decision[] {
  // Speculative builds from an earlier mode of the queue can end only after the outcome of the landing is known.
  if (view.sideBuilds.some((batch) => batch.sideBuild === 'speculative')) return [];
  const isValid = findFault(view) === null && holdPullRequestsAbove(view).decisions.length === 0;
  const next: NextBatch = isValid ? planNextBatch(view) : { kind: 'nothing' };
  return [...starts(next), ...announceTop(view), ...planAgain(view, [waitOf(next)])];
}

interface LineAfterDepartures extends Step {
  /** The batch that passes a red head. Null: there is none. */
  readonly start: Judgement['start'];
  /** When a landing that waits for own checks is stuck. Null: no landing waits. */
  readonly until: number | null;
}

function planDepartures(view: LineView): LineAfterDepartures {
  const blocked = blockFailedPullRequests(view);
  const held = holdPullRequestsAbove(blocked.view);
  const reset = resetInvalidBatches(held.view);
  // A pull request whose batch on an older tip was reset may be known to conflict with the present tip.
  const conflicting = blockFailedPullRequests(reset.view);
  const sideJudged = judgeSideBuilds(conflicting.view);
  const judged = judgeHead(sideJudged.view);
  const ownCheckWait = judgeOwnCheckWait(judged.view);
  const left = holdPullRequestsAbove(ownCheckWait.view);
  // The isolation builds of pull requests that have just left the line end too.
  const over = judgeSideBuilds(left.view);
  const steps: readonly Step[] = [reset, conflicting, blocked, held, sideJudged, judged, ownCheckWait, left, over];
  return {
    view: over.view,
    decisions: steps.flatMap(({ decisions }) => decisions),
    start: judged.start,
    until: ownCheckWait.until,
  };
}

function starts(next: NextBatch): Decision[] {
  return next.kind === 'start' ? [next.decision] : [];
}

function waitOf(next: NextBatch): number | null {
  return next.kind === 'wait' ? next.until : null;
}

function deadlines(view: LineView): readonly (number | null)[] {
  return [landingsFrom(view), gateDeadline(view), isolationsAt(view)];
}

/** When landings may happen again, if a batch is in line. Null: they may happen now, or no batch is in line. */
function landingsFrom(view: LineView): number | null {
  return view.batches.length === 0 ? null : view.snapshot.queue.landingsFrom;
}
