// Creates, changes and ends check suites and check runs.
import type { Core } from '../core.ts';
import type { Account, CheckRun, CheckSuite, Repository } from '../model/types.ts';
import type { ConclusionName } from '../model/enums.ts';
import { decideSuite, runsOfSuite } from './results.ts';

export interface RepositoryAndSender {
  readonly repository: Repository;
  readonly sender: Account;
}

export interface NewSuite {
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
}

export function makeSuite(core: Core, repository: Repository, given: NewSuite): CheckSuite {
  const at = core.now();
  return core.state.checkSuites.insert({
    repositoryId: repository.id,
    ...given,
    after: given.headSha,
    status: 'queued',
    conclusion: null,
    createdAt: at,
    updatedAt: at,
  });
}

/** Returns the check suite of an App for a commit. A suite that does not exist is created. */
export function suiteFor(core: Core, repository: Repository, given: NewSuite): CheckSuite {
  const found = core.state.checkSuites.find(
    (each) => each.repositoryId === repository.id && each.appId === given.appId && each.headSha === given.headSha,
  );
  return found ?? makeSuite(core, repository, given);
}

export interface NewRun {
  readonly name: string;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly startedAt: string | null;
}

export function makeRun(
  core: Core,
  { repository, sender }: RepositoryAndSender,
  { suite, given }: { readonly suite: CheckSuite; readonly given: NewRun },
): CheckRun {
  const checkRun = core.state.checkRuns.insert({
    repositoryId: repository.id,
    checkSuiteId: suite.id,
    appId: suite.appId,
    headSha: suite.headSha,
    status: 'queued',
    conclusion: null,
    completedAt: null,
    output: { title: null, summary: null, text: null },
    ...given,
  });
  core.emit({ name: 'check_run', action: 'created', repository, sender, checkRun });
  return checkRun;
}

export type RunChange = Partial<
  Pick<
    CheckRun,
    'name' | 'status' | 'conclusion' | 'externalId' | 'detailsUrl' | 'startedAt' | 'completedAt' | 'output'
  >
>;

/** Changes a run. A conclusion completes the run. A status other than `completed` removes the conclusion. */
export function changeRun(
  core: Core,
  by: RepositoryAndSender,
  { run, change }: { readonly run: CheckRun; readonly change: RunChange },
): void {
  const wasOver = run.status === 'completed';
  Object.assign(run, change);
  if (change.conclusion !== undefined && change.conclusion !== null) {
    run.status = 'completed';
    run.completedAt = change.completedAt ?? core.now();
  } else if (change.status !== undefined && change.status !== 'completed') {
    run.conclusion = null;
    run.completedAt = null;
    if (change.status === 'in_progress') run.startedAt ??= core.now();
  }
  if (run.status === 'completed' && !wasOver)
    core.emit({ name: 'check_run', action: 'completed', ...by, checkRun: run });
  refreshSuite(core, by, core.state.checkSuites.must(run.checkSuiteId));
}

/**
 * Updates a suite from its runs, and emits an event if the suite is now completed. The suite of a workflow run ends with
 * the workflow run, because jobs that wait for other jobs have no check runs yet.
 */
export function refreshSuite(core: Core, by: RepositoryAndSender, suite: CheckSuite): void {
  const wasOver = suite.status === 'completed';
  const decided = decideSuite(runsOfSuite(core, suite));
  const workflowRun = core.state.workflowRuns.find(({ checkSuiteId }) => checkSuiteId === suite.id);
  const goesOn = workflowRun !== undefined && workflowRun.status !== 'completed';
  const state = goesOn && decided.status === 'completed' ? { status: 'in_progress', conclusion: null } : decided;
  Object.assign(suite, state, { updatedAt: core.now() });
  core.state.save();
  if (suite.status === 'completed' && !wasOver)
    core.emit({ name: 'check_suite', action: 'completed', ...by, checkSuite: suite });
}

/** Completes a suite without runs, for a workflow that cannot start. */
export function endSuite(
  core: Core,
  by: RepositoryAndSender,
  { suite, conclusion }: { readonly suite: CheckSuite; readonly conclusion: ConclusionName },
): void {
  Object.assign(suite, { status: 'completed', conclusion, updatedAt: core.now() });
  core.emit({ name: 'check_suite', action: 'completed', ...by, checkSuite: suite });
}

/** Asks the App of a check run for a new run. The App then creates another run or changes this one. */
export function rerequestRun(core: Core, by: RepositoryAndSender, run: CheckRun): void {
  const suite = core.state.checkSuites.must(run.checkSuiteId);
  Object.assign(suite, { status: 'queued', conclusion: null, updatedAt: core.now() });
  core.emit({ name: 'check_run', action: 'rerequested', ...by, checkRun: run });
}

export function rerequestSuite(core: Core, by: RepositoryAndSender, suite: CheckSuite): void {
  Object.assign(suite, { status: 'queued', conclusion: null, updatedAt: core.now() });
  core.emit({ name: 'check_suite', action: 'rerequested', ...by, checkSuite: suite });
}
