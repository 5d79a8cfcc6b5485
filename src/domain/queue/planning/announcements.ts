// Decides about announcements, reads of checks from the host, and the instant of the next plan, for both planners.
import { pendingUntil } from '../evidence/evidence.ts';
import { verdictOf, type LineView } from './line.ts';
import { ciDeadline, startDeadline } from '../evidence/verdict.ts';
import type { Decision } from '../model/decision.ts';
import type { BatchState } from '../model/snapshot.ts';

/** Announces the first pull request in line, once. In parallel mode its build must run or be green. */
export function announceTop(view: LineView): Decision[] {
  const [top] = view.inOrder;
  if (top === undefined || top.topAnnounced) return [];
  const batch = view.batchOf.get(top.id);
  const isValidated = batch !== undefined && verdictOf(view, batch).kind === 'green';
  const isDue = view.snapshot.rules.mode !== 'parallel' || top.status === 'tagged' || isValidated;
  return isDue ? [{ kind: 'AnnounceTop', pullRequest: top.id }] : [];
}

/** Builds without any check so far, and when each must have its first check. */
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

/** Reads the checks of overdue builds from the host once more, before such a build counts as timed out. */
export function readUnstartedBuilds(view: LineView): Decision[] {
  const overdue = startsDue(view).filter(({ commit, at }) => at <= view.now && view.readings.get(commit) !== null);
  return overdue.map(({ commit }) => ({ kind: 'ReadChecks', commit }));
}

/** When green builds stop waiting for checks that are not required. */
function pendingEnds(view: LineView): number[] {
  const { rules, builds } = view.snapshot;
  const tested = new Set([...view.batches, ...view.sideBuilds].map((batch) => batch.testedCommit));
  return builds
    .filter((build) => tested.has(build.commit))
    .map((build) => pendingUntil(build, rules))
    .filter((at) => at > view.now);
}

export function planAgain(view: LineView, waits: readonly (number | null)[]): Decision[] {
  const { builds, rules } = view.snapshot;
  const known = new Map(builds.map((build) => [build.commit, build]));
  const deadlineOf = (batch: BatchState): number | null =>
    ciDeadline(batch, known.get(batch.testedCommit ?? batch.commit ?? ''), rules);
  const timeouts = [...view.batches, ...view.sideBuilds]
    .flatMap((batch) => (verdictOf(view, batch).kind === 'pending' ? (deadlineOf(batch) ?? []) : []))
    // No time limit of CI applies to a green build that waits for checks which are not required.
    .filter((at) => at > view.now);
  const starts = startsDue(view).flatMap(({ at }) => (at > view.now ? [at] : []));
  const at = [...timeouts, ...starts, ...pendingEnds(view), ...waits.flatMap((wait) => wait ?? [])].reduce(
    (earliest, instant) => Math.min(earliest, instant),
    Infinity,
  );
  return Number.isFinite(at) ? [{ kind: 'PlanAgainAt', at }] : [];
}
