// Makes one report of GitHub's answers about the checks of a commit. Pure (ADR 0071). GitHub never says whether a list
// of checks is complete.
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import { findSkipInstruction } from '../../domain/queue/requests/skip-instructions.ts';
import type { CheckReport, HostCheck, PinnedChecks, WantedChecks } from '../port.ts';
import { checksOf, uncountedAttempts, worstOf, type Run } from './counted-runs.ts';
import type { CheckRunAnswer, CheckSuiteAnswer, CommitChecks, PastStatus, StatusAnswer } from './check-answers.ts';
import { askedUntil, findOutdatedRuns } from './outdated-runs.ts';
import { plainLine, plainText } from '../../domain/plain-text.ts';

/** How long the first checks may take to start after the branch was moved. */
const firstChecksWithinMs = 60_000;
/**
 * How long the report waits after the end of the last check, because the end of a workflow may start another workflow.
 */
const quietMs = 15_000;

export function readReport(
  commit: string,
  { message, suites, isCut, statuses, statusHistory }: CommitChecks,
  wanted: WantedChecks & { readonly ownAppId: string; readonly now: number },
): CheckReport {
  // Leaves out workflow runs that were started by name, which are not checks of the commit, and checks that Interlock
  // itself reported.
  const foreign = suites.filter(
    ({ app, workflowRun }) =>
      String(app?.databaseId ?? '') !== wanted.ownAppId && workflowRun?.event !== 'workflow_dispatch',
  );
  const pinned = wanted.pinned ?? {};
  const runs = foreign.flatMap((suite, index) => {
    const outdated = findOutdatedRuns(suite, wanted);
    return runsOf(suite, index, pinned).map((run) => (outdated.has(run.id) ? asPending(run) : run));
  });
  const checks = [
    ...checksOf(runs),
    ...foreign.flatMap(notStarted),
    ...statuses.map((status) => ({
      ...asCheck(status, statusHistory),
      name: statusName(status, pinned),
    })),
  ];
  const merged = [...new Set(checks.map(({ name }) => name))]
    .toSorted()
    .map((name) => mergedOf(checks.filter((check) => check.name === name)));
  if (isCut)
    return {
      commit,
      complete: false,
      settlesAt: null,
      canceled: false,
      checks: merged.map((check) => asUndecided(check, statusHistory)),
    };
  const { complete, settlesAt } = decideComplete(merged, foreign, wanted);
  // The attempts of runs alone have other numbers if a status, too, has the name.
  const uncounted = uncountedAttempts(runs).filter(
    ({ name }) => checks.filter((check) => check.name === name).length === 1,
  );
  return {
    commit,
    complete,
    settlesAt,
    canceled: merged.some(({ conclusion }) => conclusion === 'cancelled'),
    checks: [...merged, ...(complete ? skippedByInstruction(message, merged, wanted) : []), ...uncounted],
    begun: begunOf(foreign, merged),
  };
}

/** The workflows that have runs and are no checks themselves. */
function begunOf(suites: readonly CheckSuiteAnswer[], seen: readonly HostCheck[]): string[] {
  const begun = suites
    .filter(({ checkRuns }) => (checkRuns?.nodes.length ?? 0) > 0)
    .flatMap(({ workflowRun }) => workflowRun?.workflow.name ?? []);
  const names = new Set(seen.map(({ name }) => name));
  return [...new Set(begun)].filter((name) => !names.has(name));
}

/**
 * The check of a name that runs and a status may share. GitHub requires both. `attempt` counts the attempts of both, so
 * that it never decreases: an attempt of one of them would otherwise be hidden by an earlier one of the other.
 */
function mergedOf(checks: readonly HostCheck[]): HostCheck {
  const runs = checks.flatMap(({ newestRun }) => newestRun ?? []);
  return {
    ...worstOf(checks),
    attempt: checks.reduce((sum, { attempt }) => sum + attempt, 0),
    ...(runs.length > 0 && { newestRun: Math.max(...runs) }),
  };
}

/**
 * A check of a commit whose runs or statuses were not all read. A later attempt, or a worse run in another suite, may be
 * among the others. So the check is pending, as an attempt after those that were read. Every status that was read counts
 * as an attempt, because an earlier report may have counted attempts among older statuses, which are no longer read.
 */
function asUndecided(check: HostCheck, history: readonly PastStatus[]): HostCheck {
  const attempt = check.attempt + history.length + 1;
  return { ...check, attempt, conclusion: 'pending', summary: cutText, completedAt: null };
}

const cutText =
  'The commit has more checks than Interlock reads, so none of them counts. Run fewer jobs on a commit, or push a new commit.';

/** The expected checks that did not start because of a skip instruction in the message of the commit. */
function skippedByInstruction(message: string, seen: readonly HostCheck[], { expected }: WantedChecks): HostCheck[] {
  const instruction = findSkipInstruction(message);
  if (instruction === null) return [];
  const names = new Set(seen.map(({ name }) => name));
  return expected
    .filter((name) => !names.has(name))
    .map((name) => ({
      name,
      attempt: 1,
      conclusion: 'action_required',
      url: null,
      summary: `GitHub starts no workflow for a commit whose message says ${instruction}. Push a commit without this instruction.`,
      event: null,
      startedAt: null,
      completedAt: null,
    }));
}

/**
 * The name of a check in the report. If a rule pins the name to an App, only this App's check has the name. For every
 * other App, the App is added to the name.
 */
function nameOfWriter(
  name: string,
  pinned: PinnedChecks,
  writer: { readonly isPinned: boolean; readonly slug: string },
) {
  return pinned[name] === undefined || writer.isPinned ? name : `${name} (${writer.slug})`;
}

/**
 * The name of a status in the report. GitHub does not say which App wrote a status, only whether an App did. So every
 * App counts as the pinned one.
 */
function statusName({ context, creator }: StatusAnswer, pinned: PinnedChecks): string {
  return nameOfWriter(plainLine(context), pinned, {
    isPinned: creator?.__typename === 'Bot',
    slug: creator?.login ?? 'ghost',
  });
}

function runsOf(suite: CheckSuiteAnswer, index: number, pinned: PinnedChecks): Run[] {
  return (suite.checkRuns?.nodes ?? []).map((run) => ({
    id: run.databaseId,
    suite: index,
    starter:
      suite.workflowRun &&
      `${suite.app?.databaseId} ${suite.workflowRun.event} ${suite.workflowRun.workflow.databaseId}`,
    check: {
      name: nameOfWriter(plainLine(run.name), pinned, {
        isPinned: pinned[plainLine(run.name)]?.includes(String(suite.app?.databaseId)) ?? false,
        slug: suite.app?.slug ?? 'ghost',
      }),
      attempt: 1,
      conclusion: conclusionOf(run),
      url: run.permalink,
      summary: summaryOf(run),
      event: suite.workflowRun?.event ?? null,
      ...(suite.workflowRun && { workflowRunAt: Date.parse(suite.workflowRun.createdAt) }),
      startedAt: instantOf(run.startedAt),
      completedAt: instantOf(run.completedAt),
    },
  }));
}

function asPending(run: Run): Run {
  const check = { ...run.check, conclusion: 'pending' as const, summary: againText, completedAt: null };
  return { ...run, check };
}

const againText = 'GitHub was asked to run the check again.';

/**
 * The check of a workflow that GitHub could not start, or that waits for an approval. Its suite has no runs, so the
 * check has the name of the workflow.
 */
function notStarted({ conclusion, workflowRun, checkRuns }: CheckSuiteAnswer): HostCheck[] {
  const summary = notStartedTexts[conclusion ?? ''];
  if (workflowRun === null || summary === undefined || (checkRuns?.nodes.length ?? 0) > 0) return [];
  return [
    {
      name: workflowRun.workflow.name,
      attempt: 1,
      conclusion: runConclusions[conclusion ?? ''] ?? 'unknown',
      url: workflowRun.url,
      summary,
      event: workflowRun.event,
      startedAt: null,
      completedAt: null,
    },
  ];
}

const approvalText = 'A maintainer must approve the run at GitHub.';

const notStartedTexts: Readonly<Record<string, string>> = {
  STARTUP_FAILURE: 'GitHub could not start the workflow: its file has a mistake.',
  ACTION_REQUIRED: approvalText,
};

function asCheck(
  { context, state, description, targetUrl, createdAt }: StatusAnswer,
  history: readonly PastStatus[],
): HostCheck {
  const conclusion = statusConclusions[state] ?? 'unknown';
  const at = Date.parse(createdAt);
  return {
    name: plainLine(context),
    attempt: countAttempts(history.filter((past) => past.context === context)),
    conclusion,
    url: targetUrl,
    summary: description === null ? null : plainText(description),
    event: null,
    startedAt: at,
    completedAt: conclusion === 'pending' ? null : at,
  };
}

/**
 * Counts the attempts of a status, because GitHub does not. A new attempt begins when a status that had ended is
 * pending again or has another result. (Some CI systems report only results.)
 */
function countAttempts(history: readonly PastStatus[]): number {
  const others = history.slice(1).filter(({ state }, index) => {
    const before = history[index]?.state ?? 'pending';
    return before !== 'pending' && before !== state;
  });
  return 1 + others.length;
}

const statusConclusions: Readonly<Record<string, CheckConclusion>> = {
  SUCCESS: 'success',
  PENDING: 'pending',
  EXPECTED: 'pending',
  FAILURE: 'failure',
  ERROR: 'error',
};

const runConclusions: Readonly<Record<string, CheckConclusion>> = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  STARTUP_FAILURE: 'failure',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed_out',
  SKIPPED: 'skipped',
  NEUTRAL: 'neutral',
  ACTION_REQUIRED: 'action_required',
  STALE: 'stale',
};

function conclusionOf({ status, conclusion }: CheckRunAnswer): CheckConclusion {
  if (status !== 'COMPLETED') return 'pending';
  return runConclusions[conclusion ?? ''] ?? 'unknown';
}

function summaryOf({ title, summary, conclusion }: CheckRunAnswer): string | null {
  if (conclusion === 'ACTION_REQUIRED') return approvalText;
  const shown = title ?? summary;
  return shown === null ? null : plainText(shown);
}

function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

/**
 * The report is complete if every suite with runs has ended, and either all expected checks are listed, or checks have
 * had enough time to start. Suites without runs are ignored, because they belong to Apps that report no checks.
 */
function decideComplete(
  checks: readonly HostCheck[],
  suites: readonly CheckSuiteAnswer[],
  { expected, movedAt, now }: WantedChecks & { readonly now: number },
): { readonly complete: boolean; readonly settlesAt: number | null } {
  const isRunning =
    checks.some(({ conclusion }) => conclusion === 'pending') ||
    // A workflow that waits to start has no check runs yet.
    suites.some(
      ({ status, checkRuns, workflowRun }) =>
        status !== 'COMPLETED' && (workflowRun !== null || (checkRuns?.nodes.length ?? 0) > 0),
    );
  if (isRunning) return { complete: false, settlesAt: askedUntil(suites, now) };
  const names = new Set(checks.map(({ name }) => name));
  if (expected.length > 0 && expected.every((name) => names.has(name))) return { complete: true, settlesAt: null };
  const lastEnd = Math.max(0, ...checks.map(({ completedAt }) => completedAt ?? 0));
  // GitHub's clock may differ from the clock of this machine. The wait is then longer or shorter by the difference.
  const settlesAt = Math.max((movedAt ?? 0) + firstChecksWithinMs, lastEnd + quietMs);
  return settlesAt <= now ? { complete: true, settlesAt: null } : { complete: false, settlesAt };
}
