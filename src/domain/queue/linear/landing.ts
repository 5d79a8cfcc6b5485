// Decides whether the first batch of the line may land now, and how long it may wait for the own checks of its pull
// requests.
import { mayLand, membersOf, verdictOf, type LineView } from '../planning/line.ts';
import { resetInvalidBatches } from './resets.ts';
import { isOnTip, waitsForOwnChecks } from '../landing/gate.ts';
import {
  landGreenBatch,
  type LandableBatch,
  type OwnCheckWait,
  endOwnCheckWait,
  greenSince,
} from '../planning/green-batch.ts';
import type { PullRequestState } from '../model/snapshot.ts';
import type { Decision } from '../model/decision.ts';

/**
 * Plans the landing of the first batch. Its parent must be the tip, its tree must have green evidence, no pull request
 * may be before it in line, and the own checks of its members must have passed. Its final gates run first, one after
 * the other. A batch that skips validation also skips the final gates.
 */
export function planLanding(view: LineView): readonly Decision[] {
  const first = findLandable(view);
  return first === null ? [] : landGreenBatch(view, first);
}

/** The batch that lands next if the own checks of its members have passed. Null: there is none. */
function findLandable(view: LineView): LandableBatch | null {
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
 * Judges how long a landing has waited only for own checks. If this takes too long, the pull requests whose checks
 * still run are stuck. Only the first batch is judged, because no other batch delays others. The checks are read from
 * the host once more before the judgement.
 */
export function judgeOwnCheckWait(view: LineView): OwnCheckWait {
  const { mode, stuckTimeoutMins } = view.snapshot.rules;
  const noWait: OwnCheckWait = { view, decisions: [], until: null };
  if (mode !== 'parallel' || stuckTimeoutMins === null) return noWait;
  const first = findLandable(view);
  const held = membersThatWait(view, first);
  if (first === null || held.length === 0) return noWait;
  return endOwnCheckWait(view, held, {
    until: greenSince(view, first.verdict, held) + stuckTimeoutMins * 60_000,
    resetWithout: resetInvalidBatches,
  });
}

function membersThatWait(view: LineView, landable: LandableBatch | null): readonly PullRequestState[] {
  return landable === null
    ? []
    : membersOf(view, landable.batch).filter((member) => waitsForOwnChecks(view.snapshot.rules, member));
}

/** How many builds wait only for the own checks of their pull requests. Only the first batch can. */
export function countHeld(view: LineView): number {
  return membersThatWait(view, findLandable(view)).length > 0 ? 1 : 0;
}
