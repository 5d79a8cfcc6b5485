// Decides which runs of a check count: newest runs replace earlier ones, and a later run of a workflow replaces a
// canceled one. Pure (ADR 0071).
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import type { HostCheck } from '../port.ts';

export interface Run {
  readonly check: HostCheck;
  readonly id: number;
  readonly suite: number;
  /** The App, the event and the workflow that started the run. Null: no workflow did. */
  readonly starter: string | null;
}

/**
 * Makes one check for each name: the worst of the newest runs of all suites. `attempt` is the number of all runs of
 * this name.
 */
export function checksOf(runs: readonly Run[]): HostCheck[] {
  const counting = withoutReplaced(judgedOf(runs));
  return [...new Set(runs.map(({ check }) => check.name))].map((name) => {
    const ofName = ({ check }: Run): boolean => check.name === name;
    const all = runs.filter(ofName);
    const newestRun = Math.max(...all.map(({ id }) => id));
    return { ...worstOf(counting.filter(ofName).map(({ check }) => check)), attempt: all.length, newestRun };
  });
}

/** The newest runs, in which a job that was skipped because of a canceled job counts as canceled. */
function judgedOf(runs: readonly Run[]): Run[] {
  const newest = newestOf(runs);
  const withCanceled = new Set(newest.filter(isCanceled).map(({ suite }) => suite));
  return newest.map((run) => (withCanceled.has(run.suite) ? asCanceledIfSkipped(run) : run));
}

/**
 * The earlier attempts of checks that do not count as canceled by CI. An earlier report may have called such an attempt
 * canceled. Either a later run of the workflow replaced the canceled run, or the canceled run still counts, so that the
 * newest attempt is canceled by the same run, or by its copy. One cancellation must not count twice.
 */
export function uncountedAttempts(runs: readonly Run[]): HostCheck[] {
  const judged = judgedOf(runs);
  const canceled = judged.filter(isCanceled);
  if (canceled.length === 0) return [];
  const replaced = new Set(canceled.filter((run) => isReplaced(run, judged)).map(({ id }) => id));
  const copied = runs.filter((run) => canceled.some((later) => isCopy(later, run)));
  const uncounted = new Set([...canceled, ...copied].map(({ id }) => id));
  const asJudged = new Map(judged.map((run) => [run.id, run]));
  return [...Map.groupBy(runs, ({ check }) => check.name).values()].flatMap((ofName) => {
    const inOrder = ofName.toSorted((one, other) => one.id - other.id).map((run) => asJudged.get(run.id) ?? run);
    return inOrder.slice(0, -1).flatMap((_, at) => {
      const counting = withoutReplaced(newestOf(inOrder.slice(0, at + 1)));
      const check = worstOf(counting.map((run) => run.check));
      const ofAttempt = counting.filter(isCanceled);
      if (check.conclusion !== 'cancelled' || !ofAttempt.every(({ id }) => uncounted.has(id))) return [];
      const summary = ofAttempt.every(({ id }) => replaced.has(id))
        ? 'A later run of the workflow replaced this canceled run.'
        : 'The same canceled run counts in the newest attempt.';
      return [{ ...check, attempt: at + 1, conclusion: 'stale' as const, summary }];
    });
  });
}

/**
 * Whether GitHub copied the earlier run into a later attempt of its workflow run, which did not repeat this job. A copy
 * has the times of the earlier run.
 */
function isCopy(run: Run, earlier: Run): boolean {
  return (
    run.id > earlier.id &&
    run.suite === earlier.suite &&
    run.starter !== null &&
    run.check.name === earlier.check.name &&
    run.check.startedAt === earlier.check.startedAt &&
    run.check.completedAt === earlier.check.completedAt
  );
}

function isCanceled({ check }: Run): boolean {
  return check.conclusion === 'cancelled';
}

/**
 * Whether the run was canceled, and the same event has started its workflow again for the commit. With a concurrency
 * group, the later workflow run cancels the earlier one. A skipped job replaces nothing, because it has tested nothing.
 */
function isReplaced(run: Run, all: readonly Run[]): boolean {
  const replaces = (later: Run): boolean =>
    later.id > run.id && later.starter === run.starter && later.check.name === run.check.name && !isSkipped(later);
  return isCanceled(run) && run.starter !== null && all.some(replaces);
}

function withoutReplaced(runs: readonly Run[]): Run[] {
  return runs.filter((run) => !isReplaced(run, runs));
}

/** The run of each name in each suite that counts. */
function newestOf(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    const key = `${run.suite} ${run.check.name}`;
    const other = newest.get(key);
    if (other === undefined || isAfter(run, other)) newest.set(key, run);
  }
  return [...newest.values()];
}

/**
 * Whether a run counts instead of another one of its name and suite. A workflow may have two jobs with one name, of which
 * one is skipped, for example if only documents changed. So a skipped job counts only if no job of its name ran.
 */
function isAfter(run: Run, other: Run): boolean {
  if (run.starter !== null && isSkipped(run) !== isSkipped(other)) return isSkipped(other);
  return run.id > other.id;
}

function isSkipped({ check }: Run): boolean {
  return check.conclusion === 'skipped';
}

/** GitHub skips a job that needs a canceled job, and then counts the skipped job as passed. */
function asCanceledIfSkipped(run: Run): Run {
  if (!isSkipped(run) || run.check.event === null) return run;
  const summary = 'GitHub skipped the job in a workflow run with a canceled job.';
  return { ...run, check: { ...run.check, conclusion: 'cancelled', summary } };
}

const badness: readonly CheckConclusion[] = [
  'skipped',
  'neutral',
  'success',
  'unknown',
  'stale',
  'cancelled',
  'action_required',
  'timed_out',
  'error',
  'failure',
  'pending',
];

/**
 * Two suites may have a check of the same name, for example for the events `push` and `pull_request`. The check is
 * green only if both have ended and neither is red. If both have the same result, the check tells of the run that says
 * most about the head: one that has tested the head itself, or else the one of the newest workflow run.
 */
export function worstOf(checks: readonly HostCheck[]): HostCheck {
  const [worst] = checks.toSorted(
    (one, other) =>
      badness.indexOf(other.conclusion) - badness.indexOf(one.conclusion) ||
      Number(isOfPullRequest(one)) - Number(isOfPullRequest(other)) ||
      (other.workflowRunAt ?? 0) - (one.workflowRunAt ?? 0),
  );
  if (worst === undefined) throw new Error('A check without a run.');
  return worst;
}

function isOfPullRequest({ event }: HostCheck): boolean {
  return event?.startsWith('pull_request') ?? false;
}
