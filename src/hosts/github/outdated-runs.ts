// Finds the check runs that GitHub still shows as ended although their check runs again. GitHub makes the new check run
// of a job when the jobs that it needs have ended. Until then only the status of the check suite says so. Pure
// (ADR 0071).
import type { CheckRunAnswer, CheckSuiteAnswer } from './check-report.ts';

type Suite = Pick<CheckSuiteAnswer, 'status' | 'workflowRun' | 'checkRuns'>;

/** The ids of the runs of a suite whose checks run again. `wasComplete`: every suite of the commit had ended before. */
export function findOutdatedRuns(
  suite: Suite,
  { wasComplete = false }: { readonly wasComplete?: boolean },
): ReadonlySet<number> {
  const runs = suite.checkRuns?.nodes ?? [];
  if (suite.status === 'COMPLETED' || suite.workflowRun === null) return new Set();
  const attempt = newestAttempt(runs);
  const isAgain = attempt.length < runs.length || (wasComplete && runs.every(hasEnded));
  if (!isAgain) return new Set();
  const begun = new Set(attempt.length < runs.length ? attempt.map(({ name }) => name) : []);
  return new Set(runs.filter(({ name }) => !begun.has(name)).map(({ databaseId }) => databaseId));
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
