// May the first batch of the line land now?
import { verdictOf, membersOf, type LineView } from './line.ts';
import type { Decision, PullRequestState } from './snapshot.ts';

/** Its parent is the tip, it is green for its tree, nothing is before it, and its members' own checks agree. */
export function planLanding(view: LineView): Extract<Decision, { kind: 'LandBatch' }> | null {
  const [first] = view.batches;
  const { queue, rules } = view.snapshot;
  if (first === undefined || first.givenUp || first.commit === null || first.parentCommit !== queue.tip || queue.paused)
    return null;
  if (view.batches.some((batch) => batch.landingBegun || batch.landingPlanned)) return null;
  if (first.members.some((member, place) => view.inOrder[place]?.id !== member.pullRequest)) return null;
  // In serial mode the build is the pull request's own.
  const waitsForOwnChecks = rules.mode !== 'serial' && rules.ownRequiredChecks?.length !== 0;
  if (membersOf(view, first).some((member) => isHeldByOwnChecks(member, waitsForOwnChecks))) return null;
  const verdict = verdictOf(view, first);
  return verdict.kind === 'green' ? { kind: 'LandBatch', batch: first.id, evidence: verdict.evidence } : null;
}

function isHeldByOwnChecks(member: PullRequestState, waitsForOwnChecks: boolean): boolean {
  if (member.skipValidation) return false;
  return member.ownVerdict === 'red' || (waitsForOwnChecks && member.ownVerdict === 'pending');
}
