// The planner for queues whose batches stand in one line, each built on the one before it.
//
// The steps, each on the line that the one before it left:
// block what failed by itself → hold what stands on it → reset what no longer stands → judge the side builds, and a red
// head → dequeue what is stuck → start batches, side builds first → announce → ask the host → ask a final gate, or land.
import { announceTop, lookAgain, readUnstarted } from '../planning/announcements.ts';
import { blockFailed, holdAbove } from '../planning/departures.ts';
import { gateDeadline } from '../planning/landing.ts';
import type { LineView, Step } from '../planning/line.ts';
import { planFormation, type Formation } from './formation.ts';
import { judgePatience, planLanding } from './landing.ts';
import { judgeHead, type Judgement } from './red-head.ts';
import { findFault, resetFallen } from './resets.ts';
import { isolationsAt, judgeSideBuilds, planSideBuilds } from './side-builds.ts';
import type { Decision } from '../model/decision.ts';

export function planLinearly(view: LineView): Decision[] {
  if (hasLandingBegun(view)) return planBehindLanding(view);
  const settled = settle(view);
  const sideBuilds = planSideBuilds(settled.view);
  const formation: Formation =
    settled.start === null ? planFormation(sideBuilds.view) : { kind: 'start', decision: settled.start };
  return [
    ...settled.decisions,
    ...sideBuilds.decisions,
    ...starts(formation),
    ...announceTop(settled.view),
    ...readUnstarted(settled.view),
    ...planLanding(settled.view),
    ...lookAgain(settled.view, [waitOf(formation), settled.until, ...deadlines(settled.view)]),
  ];
}

function hasLandingBegun({ batches, sideBuilds }: LineView): boolean {
  return [...batches, ...sideBuilds].some((batch) => batch.landingBegun);
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. More may be built on a line that stands. */
function planBehindLanding(view: LineView): Decision[] {
  // Speculative builds are not made any more, and can be ended only when the outcome is known.
  if (view.sideBuilds.some((batch) => batch.sideBuild === 'speculative')) return [];
  const stands = findFault(view) === null && holdAbove(view).decisions.length === 0;
  const formation: Formation = stands ? planFormation(view) : { kind: 'nothing' };
  return [...starts(formation), ...announceTop(view), ...lookAgain(view, [waitOf(formation)])];
}

interface Settled extends Step {
  /** The batch that passes a red head. Null: none does. */
  readonly start: Judgement['start'];
  /** When a landing that waits for own checks is stuck. Null: none waits. */
  readonly until: number | null;
}

/** The line without what leaves it now. */
function settle(view: LineView): Settled {
  const blocked = blockFailed(view);
  const held = holdAbove(blocked.view);
  const reset = resetFallen(held.view);
  // Whose batch on an older tip is over may be known to conflict with this one.
  const exposed = blockFailed(reset.view);
  const answered = judgeSideBuilds(exposed.view);
  const judged = judgeHead(answered.view);
  const patience = judgePatience(judged.view);
  const left = holdAbove(patience.view);
  // Isolation builds of what has just left the line are over.
  const over = judgeSideBuilds(left.view);
  const steps: readonly Step[] = [reset, exposed, blocked, held, answered, judged, patience, left, over];
  return {
    view: over.view,
    decisions: steps.flatMap(({ decisions }) => decisions),
    start: judged.start,
    until: patience.until,
  };
}

function starts(formation: Formation): Decision[] {
  return formation.kind === 'start' ? [formation.decision] : [];
}

function waitOf(formation: Formation): number | null {
  return formation.kind === 'wait' ? formation.until : null;
}

function deadlines(view: LineView): readonly (number | null)[] {
  return [opening(view), gateDeadline(view), isolationsAt(view)];
}

/** A batch in line lands no earlier than its window opens. */
function opening(view: LineView): number | null {
  return view.batches.length === 0 ? null : view.snapshot.queue.landingsFrom;
}
