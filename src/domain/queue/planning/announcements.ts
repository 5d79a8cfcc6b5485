// What the queue tells, asks the host, and when it looks again: whatever the planner.
import { pendingUntil } from '../evidence/evidence.ts';
import { verdictOf, type LineView } from './line.ts';
import { ciDeadline, startDeadline } from '../evidence/verdict.ts';
import type { Decision } from '../model/decision.ts';

/** The head of the line is announced once: when its build is under way in parallel mode, else as soon as it is first. */
export function announceTop(view: LineView): Decision[] {
  const [top] = view.inOrder;
  if (top === undefined || top.topAnnounced) return [];
  const batch = view.batchOf.get(top.id);
  const isValidated = batch !== undefined && verdictOf(view, batch).kind === 'green';
  const isDue = view.snapshot.rules.mode !== 'parallel' || top.status === 'tagged' || isValidated;
  return isDue ? [{ kind: 'AnnounceTop', pullRequest: top.id }] : [];
}

/** Builds without any check so far, and by when they must have one. */
function startsDue(view: LineView): readonly { readonly commit: string; readonly at: number }[] {
  const { rules, builds } = view.snapshot;
  if (rules.checksStartedTimeoutMins === 0) return [];
  const known = new Map(builds.map((build) => [build.commit, build]));
  return [...view.batches, ...view.sideBuilds].flatMap((batch) => {
    const commit = batch.testedCommit;
    if (commit === null || verdictOf(view, batch).kind !== 'pending') return [];
    const at = startDeadline(batch, known.get(commit), rules);
    return at === null ? [] : [{ commit, at }];
  });
}

/** Before anybody is blamed for a build without checks the host is asked once more. */
export function readUnstarted(view: LineView): Decision[] {
  const overdue = startsDue(view).filter(({ commit, at }) => at <= view.now && view.readings.get(commit) !== null);
  return overdue.map(({ commit }) => ({ kind: 'ReadChecks', commit }));
}

/** When a green build no longer waits for what else runs on its commit. */
function pendingEnds(view: LineView): number[] {
  const { rules, builds } = view.snapshot;
  const tested = new Set([...view.batches, ...view.sideBuilds].map((batch) => batch.testedCommit));
  return builds
    .filter((build) => tested.has(build.commit))
    .map((build) => pendingUntil(build, rules))
    .filter((at) => at > view.now);
}

export function lookAgain(view: LineView, waits: readonly (number | null)[]): Decision[] {
  const timeouts = [...view.batches, ...view.sideBuilds]
    .flatMap((batch) =>
      verdictOf(view, batch).kind === 'pending' ? (ciDeadline(batch, view.snapshot.rules) ?? []) : [],
    )
    // A green build that waits for what nobody requires has no time limit of CI.
    .filter((at) => at > view.now);
  const starts = startsDue(view).flatMap(({ at }) => (at > view.now ? [at] : []));
  const at = [...timeouts, ...starts, ...pendingEnds(view), ...waits.flatMap((wait) => wait ?? [])].reduce(
    (earliest, instant) => Math.min(earliest, instant),
    Infinity,
  );
  return Number.isFinite(at) ? [{ kind: 'LookAgainAt', at }] : [];
}
