// May the first batch of the line land now? If it only waits for its pull requests' own checks, for how long?
import { mayLand, membersOf, verdictOf, waitsForOwnChecks, type LineView } from '../planning/line.ts';
import { resetFallen } from './resets.ts';
import { isOnTip } from '../landing/gate.ts';
import { landGreen, type Landable, type OwnCheckWait, judgeHeld, greenSince } from '../planning/landing.ts';
import type { Decision } from '../model/decision.ts';

/**
 * The parent of the batch is the tip, the batch is green for its tree, nothing is before it, and its members' own
 * checks have passed: then its final gates are asked one after the other, and then it lands. A batch that skips
 * validation also skips the final gates.
 */
export function planLanding(view: LineView): readonly Decision[] {
  const first = findLandable(view);
  return first === null ? [] : landGreen(view, first);
}

/** The batch that lands next, apart from its members' own checks. */
function findLandable(view: LineView): Landable | null {
  const [first] = view.batches;
  const { queue } = view.snapshot;
  if (first === undefined || first.givenUp || first.commit === null || !isOnTip(first, queue.tip)) return null;
  if (!mayLand(view)) return null;
  if (view.batches.some((batch) => batch.landingStarted || batch.landingPlanned)) return null;
  if (first.members.some((member, index) => view.inOrder[index]?.id !== member.pullRequest)) return null;
  const verdict = verdictOf(view, first);
  return verdict.kind === 'green' ? { batch: first, verdict } : null;
}

/**
 * How long a landing may wait for own checks alone. After that, the pull requests whose checks still run are stuck.
 * Only the first batch is judged, because no other batch delays others. Before the judgement the host is asked once
 * more.
 */
export function judgeOwnCheckWait(view: LineView): OwnCheckWait {
  const { mode, stuckTimeoutMins } = view.snapshot.rules;
  const unhurried: OwnCheckWait = { view, decisions: [], until: null };
  if (mode !== 'parallel' || stuckTimeoutMins === null) return unhurried;
  const first = findLandable(view);
  const held = first === null ? [] : membersOf(view, first.batch).filter((member) => waitsForOwnChecks(view, member));
  if (first === null || held.length === 0) return unhurried;
  return judgeHeld(view, held, {
    until: greenSince(view, first.verdict) + stuckTimeoutMins * 60_000,
    resetWithout: resetFallen,
  });
}
