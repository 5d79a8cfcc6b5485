// The decision of the queue: one snapshot in, everything that is to happen now out. Pure and minimal: planning again
// on what the decisions made of the snapshot decides nothing until a fact changes.
//
// The steps, each on the line the one before it left:
// block what failed by itself → hold what stands on it → reset what no longer stands → judge what was asked beside the
// line, and a red head → dequeue what is stuck → start batches, beside the line first → announce → ask the host → ask a
// final gate, or land.
import { planSpeculatively } from './speculation/plan.ts';
import { announceTop, lookAgain, readUnstarted } from './planning/announcements.ts';
import { judgeSideBuilds, planSideBuilds, isolationsAt } from './linear/side-builds.ts';
import { blockFailed } from './planning/departures.ts';
import { judgeHead } from './planning/failure.ts';
import { planFormation, type Formation } from './linear/formation.ts';
import { gateDeadline, judgePatience, planLanding } from './planning/landing.ts';
import { isSpeculative, viewLine, type LineView } from './planning/line.ts';
import { findFault, resetFallen } from './planning/resets.ts';
import { holdAbove } from './requests/stacks.ts';
import type { Decision, Snapshot } from './model/snapshot.ts';

export function plan(snapshot: Snapshot, now: number): Decision[] {
  if (snapshot.queue.haltedReason !== null) return [];
  const view = viewLine(snapshot, now);
  if (isSpeculative(view)) return planSpeculatively(view);
  const isLanding = [...view.batches, ...view.sideBuilds].some((batch) => batch.landingBegun);
  // Speculative builds are not made any more, and can be ended only when the outcome is known.
  if (isLanding && view.sideBuilds.some((batch) => batch.sideBuild === 'speculative')) return [];
  if (isLanding) return planBehindLanding(view);
  const blocked = blockFailed(view);
  const held = holdAbove(blocked.view);
  const reset = resetFallen(held.view);
  // Whose batch on an older tip is over may be known to conflict with this one.
  const exposed = blockFailed(reset.view);
  const answered = judgeSideBuilds(exposed.view);
  const judged = judgeHead(answered.view);
  const patience = judgePatience(judged.view);
  const left = holdAbove(patience.view);
  // Questions about what has just left the line are over.
  const over = judgeSideBuilds(left.view);
  const settled = over.view;
  const asked = planSideBuilds(settled);
  const pass = judged.start;
  const formation: Formation = pass === null ? planFormation(asked.view) : { kind: 'start', decision: pass };
  const landing = planLanding(settled);
  const departures = [reset, exposed, blocked, held, answered, judged, patience, left, over].flatMap(
    (step) => step.decisions,
  );
  return [
    ...departures,
    ...asked.decisions,
    ...starts(formation),
    ...announceTop(settled),
    ...readUnstarted(settled),
    ...(landing === null ? [] : [landing]),
    ...lookAgain(settled, [
      ...[waitOf(formation), patience.until, opening(settled), gateDeadline(settled), isolationsAt(settled)],
    ]),
  ];
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. More may be built on a line that stands. */
function planBehindLanding(view: LineView): Decision[] {
  const stands = findFault(view) === null && holdAbove(view).decisions.length === 0;
  const formation: Formation = stands ? planFormation(view) : { kind: 'nothing' };
  return [...starts(formation), ...announceTop(view), ...lookAgain(view, [waitOf(formation)])];
}

function starts(formation: Formation): Decision[] {
  return formation.kind === 'start' ? [formation.decision] : [];
}

/** A batch in line lands no earlier than its window opens. */
function opening(view: LineView): number | null {
  return view.batches.length === 0 ? null : view.snapshot.queue.landingsFrom;
}

function waitOf(formation: Formation): number | null {
  return formation.kind === 'wait' ? formation.until : null;
}
