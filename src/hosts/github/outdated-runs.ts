// Finds the check runs that GitHub still shows as ended although their check runs again. GitHub makes the new check run
// of a job when the jobs that it needs have ended. Until then only the status of the check suite says so. Pure
// (ADR 0071).
import type { CheckRunAnswer, CheckSuiteAnswer } from './check-answers.ts';

/**
 * How long an App has to begin after somebody asked it to run its checks again. GitHub resets the suite at once, and
 * leaves the runs as they are. An App may ignore the request, and its earlier results count again then.
 */
const beginsWithinMs = 10 * 60_000;

type Suite = Pick<CheckSuiteAnswer, 'status' | 'updatedAt' | 'workflowRun' | 'checkRuns'>;

/** The ids of the runs of a suite whose checks run again. `wasComplete`: every suite of the commit had ended before. */
export function findOutdatedRuns(
  suite: Suite,
  { wasComplete = false, now }: { readonly wasComplete?: boolean; readonly now: number },
): ReadonlySet<number> {
  const runs = suite.checkRuns?.nodes ?? [];
  if (suite.status === 'COMPLETED') return new Set();
  if (suite.workflowRun === null) return new Set(isAsked(suite, now) ? runs.map(({ databaseId }) => databaseId) : []);
  const attempt = newestAttempt(runs);
  const isAgain = attempt.length < runs.length || (wasComplete && runs.every(hasEnded));
  if (!isAgain) return new Set();
  const begun = new Set(attempt.length < runs.length ? attempt.map(({ name }) => name) : []);
  return new Set(runs.filter(({ name }) => !begun.has(name)).map(({ databaseId }) => databaseId));
}

/**
 * When the earlier results of Apps that were asked to run their checks again count again, in milliseconds since the
 * epoch. Null: no App was asked.
 */
export function askedUntil(suites: readonly Suite[], now: number): number | null {
  const asked = suites.filter((suite) => isAsked(suite, now)).map(({ updatedAt }) => Date.parse(updatedAt));
  return asked.length === 0 ? null : Math.min(...asked) + beginsWithinMs;
}

/** Whether an App was asked to run its checks again, and has not begun. GitHub ends a suite with its last run. */
function isAsked({ status, updatedAt, workflowRun, checkRuns }: Suite, now: number): boolean {
  const runs = checkRuns?.nodes ?? [];
  const isWaiting = status !== 'COMPLETED' && workflowRun === null && runs.length > 0 && runs.every(hasEnded);
  return isWaiting && now < Date.parse(updatedAt) + beginsWithinMs;
}

/**
 * The runs of the newest attempt of a workflow run. An attempt has one run of each name, and begins after the attempt
 * before it has ended. Two jobs of one attempt may have one name; they overlap with the other jobs.
 */
function newestAttempt(runs: readonly CheckRunAnswer[]): readonly CheckRunAnswer[] {
  const inOrder = runs.toSorted((one, other) => one.databaseId - other.databaseId);
  const names = new Set<string>();
  let first = 0;
  inOrder.forEach((run, at) => {
    if (names.has(run.name) && isOver(inOrder.slice(0, at), inOrder.slice(at))) {
      names.clear();
      first = at;
    }
    names.add(run.name);
  });
  return inOrder.slice(first);
}

/** Whether the earlier runs ended before one of the later runs started. A job that is not repeated keeps its times. */
function isOver(earlier: readonly CheckRunAnswer[], later: readonly CheckRunAnswer[]): boolean {
  if (!earlier.every(hasEnded)) return false;
  const end = Math.max(...earlier.map(({ completedAt }) => Date.parse(completedAt ?? '') || 0));
  return later.some(({ startedAt }) => startedAt === null || Date.parse(startedAt) >= end);
}

function hasEnded({ status }: CheckRunAnswer): boolean {
  return status === 'COMPLETED';
}
