// What GitHub shows of a commit's checks, read as one report: pure (ADR 0071). GitHub never says that a list is
// complete.
import type { CheckConclusion } from '../../domain/queue/model/rules.ts';
import { findSkipInstruction } from '../../domain/queue/requests/skip-instructions.ts';
import type { CheckReport, HostCheck, PinnedChecks, WantedChecks } from '../port.ts';
import { plainLine, plainText } from './plain-text.ts';

export interface CheckRunAnswer {
  readonly databaseId: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly permalink: string;
  readonly title: string | null;
  readonly summary: string | null;
}

export interface CheckSuiteAnswer {
  readonly status: string;
  readonly app: { readonly databaseId: number | null; readonly slug: string } | null;
  readonly conclusion: string | null;
  readonly workflowRun: {
    readonly event: string;
    readonly url: string;
    readonly workflow: { readonly name: string };
  } | null;
  readonly checkRuns: { readonly nodes: readonly CheckRunAnswer[] } | null;
}

export interface StatusAnswer {
  readonly context: string;
  readonly state: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly createdAt: string;
  /** Null: the account was deleted. */
  readonly creator: { readonly __typename: string; readonly login: string } | null;
}

export interface CommitChecks {
  /** The message of the commit. */
  readonly message: string;
  readonly suites: readonly CheckSuiteAnswer[];
  /** The newest status of each name. */
  readonly statuses: readonly StatusAnswer[];
  /** Every status that was reported, the oldest first. Their states are in small letters. */
  readonly statusHistory: readonly PastStatus[];
}

export interface PastStatus {
  readonly context: string;
  readonly state: string;
}

interface Run {
  readonly check: HostCheck;
  readonly id: number;
  readonly suite: number;
}

/** Checks start some time after the branch has moved. */
const firstChecksWithinMs = 60_000;
/** A workflow may start another one when it ends. */
const quietMs = 15_000;

export function readReport(
  commit: string,
  { message, suites, statuses, statusHistory }: CommitChecks,
  wanted: WantedChecks & { readonly ownAppId: string; readonly now: number },
): CheckReport {
  // What was started by name is no check of the commit, and what Interlock reports is not CI's.
  const foreign = suites.filter(
    ({ app, workflowRun }) =>
      String(app?.databaseId ?? '') !== wanted.ownAppId && workflowRun?.event !== 'workflow_dispatch',
  );
  const pinned = wanted.pinned ?? {};
  const runs = foreign.flatMap((suite, index) => runsOf(suite, index, pinned));
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
    .map((name) => worstOf(checks.filter((check) => check.name === name)));
  const { complete, settlesAt } = decideComplete(merged, foreign, wanted);
  return {
    commit,
    complete,
    settlesAt,
    canceled: merged.some(({ conclusion }) => conclusion === 'cancelled'),
    checks: complete ? [...merged, ...skippedByInstruction(message, merged, wanted)] : merged,
  };
}

/** Checks that did not begin because the message of the commit keeps GitHub from starting workflows. */
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
      summary: `GitHub starts no workflow for a commit whose message says ${instruction}. Push a commit that does not say so.`,
      event: null,
      startedAt: null,
      completedAt: null,
    }));
}

/**
 * If a rule pins a name to an App, only that App's check counts, and another App's check of the name is shown with its
 * App.
 */
function nameOfWriter(
  name: string,
  pinned: PinnedChecks,
  writer: { readonly isMeant: boolean; readonly slug: string },
) {
  return pinned[name] === undefined || writer.isMeant ? name : `${name} (${writer.slug})`;
}

/** GitHub says only whether an App wrote a status, and not which App. */
function statusName({ context, creator }: StatusAnswer, pinned: PinnedChecks): string {
  return nameOfWriter(plainLine(context), pinned, {
    isMeant: creator?.__typename === 'Bot',
    slug: creator?.login ?? 'ghost',
  });
}

function runsOf(suite: CheckSuiteAnswer, index: number, pinned: PinnedChecks): Run[] {
  return (suite.checkRuns?.nodes ?? []).map((run) => ({
    id: run.databaseId,
    suite: index,
    check: {
      name: nameOfWriter(plainLine(run.name), pinned, {
        isMeant: pinned[plainLine(run.name)]?.includes(String(suite.app?.databaseId)) ?? false,
        slug: suite.app?.slug ?? 'ghost',
      }),
      attempt: 1,
      conclusion: conclusionOf(run),
      url: run.permalink,
      summary: summaryOf(run),
      event: suite.workflowRun?.event ?? null,
      startedAt: instantOf(run.startedAt),
      completedAt: instantOf(run.completedAt),
    },
  }));
}

/**
 * A workflow that GitHub cannot read, or does not start before an approval, has a suite without runs: it has its own
 * name.
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

/**
 * One check for each name: the worst of the newest runs of its suites. `attempt` counts all runs of the name so far.
 */
function checksOf(runs: readonly Run[]): HostCheck[] {
  return [...new Set(runs.map(({ check }) => check.name))].map((name) => {
    const all = runs.filter(({ check }) => check.name === name);
    const newest = all.filter((run) => !all.some((other) => other.suite === run.suite && other.id > run.id));
    return { ...worstOf(newest.map(({ check }) => check)), attempt: all.length };
  });
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

/** If two suites have a check of one name, as with `push` and `pull_request`, neither may be red, and both must end. */
function worstOf(checks: readonly HostCheck[]): HostCheck {
  const [worst] = checks.toSorted((one, other) => badness.indexOf(other.conclusion) - badness.indexOf(one.conclusion));
  if (worst === undefined) throw new Error('A check without a run.');
  return worst;
}

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
 * A status has no attempts of its own. Another attempt is counted when a status that had ended is pending again, or has
 * another result. (Some systems report only results.)
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
  const said = title ?? summary;
  return said === null ? null : plainText(said);
}

function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

/**
 * Complete: every suite with runs has ended, and either all expected names have, or checks have had the time to start.
 * Suites without runs belong to Apps that stay silent.
 */
function decideComplete(
  checks: readonly HostCheck[],
  suites: readonly CheckSuiteAnswer[],
  { expected, movedAt, now }: WantedChecks & { readonly now: number },
): { readonly complete: boolean; readonly settlesAt: number | null } {
  const isRunning =
    checks.some(({ conclusion }) => conclusion === 'pending') ||
    // A workflow that waits has no runs yet.
    suites.some(
      ({ status, checkRuns, workflowRun }) =>
        status !== 'COMPLETED' && (workflowRun !== null || (checkRuns?.nodes.length ?? 0) > 0),
    );
  if (isRunning) return { complete: false, settlesAt: null };
  const names = new Set(checks.map(({ name }) => name));
  if (expected.length > 0 && expected.every((name) => names.has(name))) return { complete: true, settlesAt: null };
  const lastEnd = Math.max(0, ...checks.map(({ completedAt }) => completedAt ?? 0));
  // Here an instant of GitHub is compared with our clock. If the two clocks differ, the wait is longer or shorter.
  const settlesAt = Math.max((movedAt ?? 0) + firstChecksWithinMs, lastEnd + quietMs);
  return settlesAt <= now ? { complete: true, settlesAt: null } : { complete: false, settlesAt };
}
