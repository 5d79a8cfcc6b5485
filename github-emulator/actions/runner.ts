// Runs the jobs of workflow runs. A job waits for the jobs in its `needs`, and gets its check run when they have ended. At most `maxAtOnce` jobs run at the same
// time.
import { changeRun, refreshSuite } from '../checks/runs.ts';
import { isPassing } from '../checks/results.ts';
import type { Core } from '../core.ts';
import type { Account, CheckRun, Repository, WorkflowJob, WorkflowRun } from '../model/types.ts';
import type { ConclusionName } from '../model/enums.ts';
import { actionsBot } from './app.ts';
import { githubContext } from './contexts.ts';
import { evaluateCondition, ExpressionError, type Value } from './expression.ts';
import { readWorkflow } from './files.ts';
import { makeJob } from './starting.ts';
import { runSteps } from './steps.ts';
import type { Job, WorkflowFile } from './workflow-file.ts';

const maxAtOnce = 2;
const scriptPollMs = 25;

export interface Runner {
  begin(run: WorkflowRun): Promise<void>;
  /**
   * Starts a new attempt of a run, with the jobs of these keys and the jobs that need them. `keys` is null: with all
   * jobs.
   */
  rerun(run: WorkflowRun, keys: readonly string[] | null): Promise<void>;
  cancel(run: WorkflowRun): void;
  /** Resolves when no job runs or waits for its turn, except jobs whose scripted result is pending. */
  settled(): Promise<void>;
  stop(): void;
}

export function createRunner(core: Core): Runner {
  return new JobRunner(core);
}

class JobRunner implements Runner {
  readonly #core: Core;
  readonly #stopping = new Map<number, AbortController>();
  readonly #active = new Set<Promise<void>>();
  readonly #started = new Set<number>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isStopped = false;

  constructor(core: Core) {
    this.#core = core;
  }

  async begin(run: WorkflowRun): Promise<void> {
    const place = await placeOf(this.#core, run);
    if (place !== null) this.#advance(place);
  }

  async rerun(run: WorkflowRun, keys: readonly string[] | null): Promise<void> {
    const core = this.#core;
    const place = await placeOf(core, run);
    if (place === null) return;
    this.#stopping.delete(run.id);
    const chosen = keys === null ? null : withDependents(place.file, keys);
    run.runAttempt += 1;
    Object.assign(run, { status: 'queued', conclusion: null, runStartedAt: core.now(), updatedAt: core.now() });
    const by = byActions(core, place);
    core.emit({ name: 'workflow_run', action: 'requested', ...by, run });
    for (const job of place.file.jobs) {
      if (chosen !== null && !chosen.has(job.key)) keepJob(core, run, job.key);
      else if (!job.needs.some((need) => chosen === null || chosen.has(need))) makeJob(core, by, { run, job });
    }
    refreshSuite(core, by, core.state.checkSuites.must(run.checkSuiteId));
    this.#advance(place);
  }

  cancel(run: WorkflowRun): void {
    this.#signalOf(run);
    this.#stopping.get(run.id)?.abort();
    this.#track(
      placeOf(this.#core, run).then((place) => {
        if (place !== null) this.#cancelWaiting(place);
      }),
    );
  }

  async settled(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  stop(): void {
    this.#isStopped = true;
    for (const controller of this.#stopping.values()) controller.abort();
    for (const next of this.#waiting.splice(0)) next();
  }

  #cancelWaiting(place: RunPlace): void {
    for (const plan of place.file.jobs) {
      const row = latestJob(this.#core, place.run, plan.key);
      const checkRun = this.#core.state.checkRuns.get(row?.id);
      if (row === undefined || checkRun === undefined || this.#started.has(row.id)) continue;
      if (checkRun.status !== 'completed') endJob(this.#core, place, { checkRun, conclusion: 'cancelled' });
    }
    this.#advance(place);
  }

  async #takeSlot(): Promise<void> {
    if (this.#running >= maxAtOnce) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#running += 1;
  }

  #freeSlot(): void {
    this.#running -= 1;
    this.#waiting.shift()?.();
  }

  #track(work: Promise<void>): void {
    const { mistakes } = this.#core;
    const tracked = work
      .catch((error: unknown) => void mistakes.push(`Actions: ${error instanceof Error ? error.stack : String(error)}`))
      .finally(() => this.#active.delete(tracked));
    this.#active.add(tracked);
  }

  #advance(place: RunPlace): void {
    if (this.#isStopped || place.run.status === 'completed') return;
    for (const plan of place.file.jobs) {
      if (plan.needs.some((key) => resultOf(this.#core, place.run, key) === null)) continue;
      const row = latestJob(this.#core, place.run, plan.key) ?? makeWaitingJob(this.#core, place, plan);
      const checkRun = this.#core.state.checkRuns.get(row.id);
      if (checkRun === undefined || this.#started.has(row.id) || checkRun.status === 'completed') continue;
      const decision = decideJob(this.#core, place, { plan, job: row });
      this.#started.add(row.id);
      if (decision !== 'run') {
        endJob(this.#core, place, { checkRun, conclusion: decision });
        this.#advance(place);
        return;
      }
      const signal = this.#signalOf(place.run);
      this.#track(this.#runJob(place, { plan, row, checkRun, signal }).finally(() => this.#advance(place)));
    }
    if (allJobsOver(this.#core, place)) endRun(this.#core, place);
  }

  async #runJob(place: RunPlace, given: Started): Promise<void> {
    const { plan, row, checkRun, signal } = given;
    const scripted = script(this.#core, place, { checkRun, attempt: place.run.runAttempt });
    if (scripted !== null) {
      beginJob(this.#core, place, checkRun);
      if (scripted !== 'pending')
        endJob(this.#core, place, { checkRun, conclusion: signal.aborted ? 'cancelled' : scripted });
      else this.#pollScript(place, given);
      return;
    }
    await this.#takeSlot();
    try {
      if (signal.aborted || this.#isStopped) {
        if (!this.#isStopped) endJob(this.#core, place, { checkRun, conclusion: 'cancelled' });
        return;
      }
      beginJob(this.#core, place, checkRun);
      const { repository, run, file } = place;
      const needs = needsOf(this.#core, place, plan);
      const conclusion = await runSteps(this.#core, { repository, run, job: row, file, plan, needs, signal });
      if (!this.#isStopped) endJob(this.#core, place, { checkRun, conclusion });
    } finally {
      this.#freeSlot();
    }
  }

  /** Calls the script again and again until its result is not pending, or the run is cancelled. */
  #pollScript(place: RunPlace, given: Started): void {
    const timer = setInterval(() => {
      const { checkRun, signal } = given;
      const now = signal.aborted ? 'cancelled' : script(this.#core, place, { checkRun, attempt: place.run.runAttempt });
      if (!this.#isStopped && now === 'pending') return;
      clearInterval(timer);
      if (this.#isStopped || checkRun.status === 'completed') return;
      // The script was removed or returned null, so the steps run.
      if (now === null) {
        this.#started.delete(given.row.id);
        changeRun(this.#core, byActions(this.#core, place), { run: checkRun, change: { status: 'queued' } });
        this.#advance(place);
        return;
      }
      if (now !== 'pending') endJob(this.#core, place, { checkRun, conclusion: now });
      this.#advance(place);
    }, scriptPollMs);
    timer.unref();
  }

  #signalOf(run: WorkflowRun): AbortSignal {
    const controller = this.#stopping.get(run.id) ?? new AbortController();
    this.#stopping.set(run.id, controller);
    return controller.signal;
  }
}

interface RunPlace {
  readonly repository: Repository;
  readonly run: WorkflowRun;
  readonly file: WorkflowFile;
}

interface Started {
  readonly plan: Job;
  readonly row: WorkflowJob;
  readonly checkRun: CheckRun;
  readonly signal: AbortSignal;
}

async function placeOf(core: Core, run: WorkflowRun): Promise<RunPlace | null> {
  const repository = core.state.repositories.get(run.repositoryId);
  if (repository === undefined) return null;
  const { path } = core.state.workflows.must(run.workflowId);
  const { file } = await readWorkflow(core, repository, { sha: run.testedSha, path });
  return file === null ? null : { repository, run, file };
}

/** The job of a key in the newest attempt. Undefined: it waits for the jobs that it needs, and has no check run yet. */
function latestJob(core: Core, run: WorkflowRun, key: string): WorkflowJob | undefined {
  return core.state.workflowJobs
    .filter((each) => each.runId === run.id && each.key === key && each.runAttempt === run.runAttempt)
    .at(-1);
}

function makeWaitingJob(core: Core, place: RunPlace, job: Job): WorkflowJob {
  return makeJob(core, byActions(core, place), { run: place.run, job }).job;
}

/** Takes the result of a job over into a new attempt that leaves the job out. The job gets a new id. */
function keepJob(core: Core, run: WorkflowRun, key: string): void {
  const before = core.state.workflowJobs.filter((each) => each.runId === run.id && each.key === key).at(-1);
  const checkRun = core.state.checkRuns.get(before?.id);
  if (before === undefined || checkRun === undefined) return;
  const { id: _ofRun, ...result } = checkRun;
  const { id } = core.state.checkRuns.insert(result);
  core.state.workflowJobs.insert({ ...before, id, runAttempt: run.runAttempt });
}

function resultOf(core: Core, run: WorkflowRun, key: string): ConclusionName | null {
  return core.state.checkRuns.get(latestJob(core, run, key)?.id)?.conclusion ?? null;
}

function needsOf(core: Core, { run }: RunPlace, plan: Job): Record<string, Value> {
  const needs = plan.needs.map((key) => [key, { result: resultOf(core, run, key) ?? '', outputs: {} }]);
  return Object.fromEntries(needs) as Record<string, Value>;
}

function decideJob(
  core: Core,
  place: RunPlace,
  { plan, job }: { readonly plan: Job; readonly job: WorkflowJob },
): 'skipped' | 'failure' | 'run' {
  const results = plan.needs.map((key) => resultOf(core, place.run, key));
  const status = results.includes('cancelled')
    ? 'cancelled'
    : results.every((result) => result === 'success')
      ? 'success'
      : 'failure';
  const contexts = {
    github: githubContext(core, { ...place, job }, '') as Value,
    needs: needsOf(core, place, plan),
    inputs: place.run.inputs,
    vars: {},
  };
  try {
    return evaluateCondition(plan.if ?? null, { contexts, status }) ? 'run' : 'skipped';
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    job.log += `##[error]The job's condition cannot be read: ${error.message}\n`;
    return 'failure';
  }
}

function script(
  core: Core,
  { repository, run }: RunPlace,
  { checkRun, attempt }: { readonly checkRun: CheckRun; readonly attempt: number },
) {
  const scripted = core.faults.scriptedChecks();
  if (scripted === null) return null;
  const owner = core.state.accounts.must(repository.ownerId).login;
  const given = { repository: `${owner}/${repository.name}`, commit: run.headSha, name: checkRun.name, attempt };
  return scripted(given);
}

function byActions(core: Core, { repository }: RunPlace): { repository: Repository; sender: Account } {
  return { repository, sender: actionsBot(core) };
}

function beginJob(core: Core, place: RunPlace, checkRun: CheckRun): void {
  const by = byActions(core, place);
  changeRun(core, by, { run: checkRun, change: { status: 'in_progress' } });
  if (place.run.status === 'in_progress') return;
  Object.assign(place.run, { status: 'in_progress', updatedAt: core.now() });
  core.emit({ name: 'workflow_run', action: 'in_progress', ...by, run: place.run });
}

function endJob(
  core: Core,
  place: RunPlace,
  { checkRun, conclusion }: { readonly checkRun: CheckRun; readonly conclusion: ConclusionName },
): void {
  changeRun(core, byActions(core, place), { run: checkRun, change: { conclusion } });
}

function allJobsOver(core: Core, { run, file }: RunPlace): boolean {
  return file.jobs.every(({ key }) => resultOf(core, run, key) !== null);
}

function endRun(core: Core, place: RunPlace): void {
  const { run, file } = place;
  const results = file.jobs.filter((job) => !job['continue-on-error']).map(({ key }) => resultOf(core, run, key));
  const worst = results.find((result) => !isPassing(result));
  const conclusion = results.includes('failure') ? 'failure' : (worst ?? allSkipped(results));
  Object.assign(run, { status: 'completed', conclusion, updatedAt: core.now() });
  refreshSuite(core, byActions(core, place), core.state.checkSuites.must(run.checkSuiteId));
  core.emit({ name: 'workflow_run', action: 'completed', ...byActions(core, place), run });
}

function allSkipped(results: readonly (ConclusionName | null)[]): ConclusionName {
  return results.length > 0 && results.every((result) => result === 'skipped') ? 'skipped' : 'success';
}

/** Returns the keys of the given jobs, and of all jobs that need them directly or through other jobs. */
function withDependents(file: WorkflowFile, keys: readonly string[]): Set<string> {
  const chosen = new Set(keys);
  for (let size = 0; size < chosen.size; ) {
    size = chosen.size;
    for (const job of file.jobs) if (job.needs.some((need) => chosen.has(need))) chosen.add(job.key);
  }
  return chosen;
}
