// May the first batch of the line land now, and if only its pull requests' own checks hold it: for how long?
import { mayLand, membersOf, verdictOf, waitsForOwnChecks, type LineView } from '../planning/line.ts';
import { resetFallen } from './resets.ts';
import { isOnTip } from '../landing/gate.ts';
import { landGreen, type Landable, type Patience, judgeHeld, greenSince } from '../planning/landing.ts';
import type { Decision } from '../model/decision.ts';

/**
 * Its parent is the tip, it is green for its tree, nothing is before it, and its members' own checks agree: then its
 * final gates are asked, one after the other, and then it lands. What skips validation skips them too.
 */
export function planLanding(view: LineView): readonly Decision[] {
  const first = findLandable(view);
  return first === null ? [] : landGreen(view, first);
}

/** The batch that lands next, as far as it is not its members' own checks that say so. */
function findLandable(view: LineView): Landable | null {
  const [first] = view.batches;
  const { queue } = view.snapshot;
  if (first === undefined || first.givenUp || first.commit === null || !isOnTip(first, queue.tip)) return null;
  if (!mayLand(view)) return null;
  if (view.batches.some((batch) => batch.landingBegun || batch.landingPlanned)) return null;
  if (first.members.some((member, index) => view.inOrder[index]?.id !== member.pullRequest)) return null;
  const verdict = verdictOf(view, first);
  return verdict.kind === 'green' ? { batch: first, verdict } : null;
}

/**
 * A landing that only waits for own checks waits for a while: then their pull requests are stuck. Only the first batch
 * is judged, for nobody else is held up; and only by what the host says when it is asked once more.
 */
export function judgePatience(view: LineView): Patience {
  const { mode, stuckTimeoutMins } = view.snapshot.rules;
  const unhurried: Patience = { view, decisions: [], until: null };
  if (mode !== 'parallel' || stuckTimeoutMins === null) return unhurried;
  const first = findLandable(view);
  const held = first === null ? [] : membersOf(view, first.batch).filter((member) => waitsForOwnChecks(view, member));
  if (first === null || held.length === 0) return unhurried;
  return judgeHeld(view, held, {
    until: greenSince(view, first.verdict) + stuckTimeoutMins * 60_000,
    resetWithout: resetFallen,
  });
}
