// The results of a commit's checks, over all suites and statuses.
import type { Core } from '../core.ts';
import type { CheckRun, CheckSuite, CommitStatus, Repository } from '../model/types.ts';
import type { ConclusionName } from '../model/enums.ts';
import type { CommitCheck } from '../rules/required-checks.ts';

export function suitesOf(core: Core, repository: Repository, sha: string): CheckSuite[] {
  return core.state.checkSuites.filter((each) => each.repositoryId === repository.id && each.headSha === sha);
}

export function runsOfSuite(core: Core, suite: CheckSuite): CheckRun[] {
  return core.state.checkRuns.filter((each) => each.checkSuiteId === suite.id);
}

/** The newest run of each name in each suite. Two suites may both have a run of the same name. */
export function latestRuns(runs: readonly CheckRun[]): CheckRun[] {
  const latest = new Map<string, CheckRun>();
  for (const run of runs) latest.set(`${run.checkSuiteId} ${run.name}`, run);
  return [...latest.values()];
}

export function runsOfCommit(core: Core, repository: Repository, sha: string): CheckRun[] {
  return core.state.checkRuns.filter((each) => each.repositoryId === repository.id && each.headSha === sha);
}

/** All statuses of a commit, the newest first. */
export function statusesOf(core: Core, repository: Repository, sha: string): CommitStatus[] {
  return core.state.statuses.filter((each) => each.repositoryId === repository.id && each.sha === sha).toReversed();
}

export function latestStatuses(statuses: readonly CommitStatus[]): CommitStatus[] {
  const seen = new Set<string>();
  return statuses.filter(({ context }) => !seen.has(context) && seen.add(context));
}

const passing: readonly (ConclusionName | null)[] = ['success', 'neutral', 'skipped'];

export function isPassing(conclusion: ConclusionName | null): boolean {
  return passing.includes(conclusion);
}

export function checksOfCommit(core: Core, repository: Repository, sha: string): CommitCheck[] {
  const runs = latestRuns(runsOfCommit(core, repository, sha)).map((run): CommitCheck => {
    const state = run.status !== 'completed' ? 'pending' : isPassing(run.conclusion) ? 'success' : 'failing';
    return { name: run.name, appId: run.appId, state };
  });
  const states = { success: 'success', pending: 'pending', failure: 'failing', error: 'failing' } as const;
  const statuses = latestStatuses(statusesOf(core, repository, sha)).map(
    (status): CommitCheck => ({
      name: status.context,
      appId: core.state.accounts.get(status.creatorId)?.appId ?? null,
      state: states[status.state],
    }),
  );
  return [...runs, ...statuses];
}

const worstFirst: readonly ConclusionName[] = [
  'startup_failure',
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'stale',
  'success',
  'neutral',
  'skipped',
];

/** The status and conclusion of a suite, from its runs. */
export function decideSuite(runs: readonly CheckRun[]): Pick<CheckSuite, 'status' | 'conclusion'> {
  const latest = latestRuns(runs);
  if (latest.length === 0) return { status: 'queued', conclusion: null };
  if (latest.some(({ status }) => status !== 'completed')) {
    const isStarted = latest.some(({ status }) => status !== 'queued');
    return { status: isStarted ? 'in_progress' : 'queued', conclusion: null };
  }
  const conclusion = worstFirst.find((name) => latest.some((run) => run.conclusion === name)) ?? 'success';
  return { status: 'completed', conclusion };
}

/** The combined state of all statuses, as in `GET …/status`. */
export function combineStatuses(statuses: readonly CommitStatus[]): 'pending' | 'success' | 'failure' {
  const states = latestStatuses(statuses).map(({ state }) => state);
  if (states.some((state) => state === 'failure' || state === 'error')) return 'failure';
  return states.length === 0 || states.includes('pending') ? 'pending' : 'success';
}
