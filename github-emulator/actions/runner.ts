// Runs the jobs of workflow runs. A job waits for the jobs in its `needs`. At most `maxAtOnce` jobs run at the same
// time.
import { changeRun } from '../checks/runs.ts';
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
  const stopping = new Map<number, AbortController>();
  const active = new Set<Promise<void>>();
  const started = new Set<number>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let isStopped = false;

  const takeSlot = async (): Promise<void> => {
    if (running >= maxAtOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
    running += 1;
  };
  const freeSlot = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  const track = (work: Promise<void>): void => {
    const tracked = work
      .catch(
        (error: unknown) => void core.mistakes.push(`Actions: ${error instanceof Error ? error.stack : String(error)}`),
      )
      .finally(() => active.delete(tracked));
    active.add(tracked);
  };

  const advance = (place: RunPlace): void => {
    if (isStopped || place.run.status === 'completed') return;
    for (const plan of place.file.jobs) {
      const row = latestJob(core, place.run, plan.key);
      const checkRun = core.state.checkRuns.get(row?.id);
      if (row === undefined || checkRun === undefined || started.has(row.id) || checkRun.status === 'completed')
        continue;
      const decision = decideJob(core, place, plan, row);
      if (decision === 'wait') continue;
      started.add(row.id);
      if (decision !== 'run') {
        endJob(core, place, checkRun, decision);
        advance(place);
        return;
      }
      const signal = signalOf(place.run);
      track(runJob(place, { plan, row, checkRun, signal }).finally(() => advance(place)));
    }
    if (allJobsOver(core, place)) endRun(core, place);
  };

  const runJob = async (place: RunPlace, given: Started): Promise<void> => {
    const { plan, row, checkRun, signal } = given;
    const scripted = script(core, place, checkRun, place.run.runAttempt);
    if (scripted !== null) {
      beginJob(core, place, checkRun);
      if (scripted !== 'pending') endJob(core, place, checkRun, signal.aborted ? 'cancelled' : scripted);
      else pollScript(place, given);
      return;
    }
    await takeSlot();
    try {
      if (signal.aborted || isStopped) {
        if (!isStopped) endJob(core, place, checkRun, 'cancelled');
        return;
      }
      beginJob(core, place, checkRun);
      const { repository, run, file } = place;
      const needs = needsOf(core, place, plan);
      const conclusion = await runSteps(core, { repository, run, job: row, file, plan, needs, signal });
      if (!isStopped) endJob(core, place, checkRun, conclusion);
    } finally {
      freeSlot();
    }
  };

  /** Calls the script again and again until its result is not pending, or the run is cancelled. */
  const pollScript = (place: RunPlace, given: Started): void => {
    const timer = setInterval(() => {
      const { checkRun, signal } = given;
      const now = signal.aborted ? 'cancelled' : script(core, place, checkRun, place.run.runAttempt);
      if (!isStopped && now === 'pending') return;
      clearInterval(timer);
      if (isStopped || checkRun.status === 'completed') return;
      // The script was removed or returned null, so the steps run.
      if (now === null) {
        started.delete(given.row.id);
        changeRun(core, byActions(core, place), checkRun, { status: 'queued' });
        advance(place);
        return;
      }
      if (now !== 'pending') endJob(core, place, checkRun, now);
      advance(place);
    }, scriptPollMs);
    timer.unref();
  };

  const signalOf = (run: WorkflowRun): AbortSignal => {
    const controller = stopping.get(run.id) ?? new AbortController();
    stopping.set(run.id, controller);
    return controller.signal;
  };

  return {
    begin: async (run) => {
      const place = await placeOf(core, run);
      if (place !== null) advance(place);
    },
    rerun: async (run, keys) => {
      const place = await placeOf(core, run);
      if (place === null) return;
      stopping.delete(run.id);
      const chosen = keys === null ? null : withDependents(place.file, keys);
      run.runAttempt += 1;
      Object.assign(run, { status: 'queued', conclusion: null, runStartedAt: core.now(), updatedAt: core.now() });
      const by = byActions(core, place);
      core.emit({ name: 'workflow_run', action: 'requested', ...by, run });
      for (const job of place.file.jobs)
        if (chosen === null || chosen.has(job.key)) {
          const { checkRun } = makeJob(core, by, run, job);
          changeRun(core, by, checkRun, { status: 'queued' });
        }
      advance(place);
    },
    cancel: (run) => {
      signalOf(run);
      stopping.get(run.id)?.abort();
      track(
        placeOf(core, run).then((place) => {
          if (place === null) return;
          for (const plan of place.file.jobs) {
            const row = latestJob(core, run, plan.key);
            const checkRun = core.state.checkRuns.get(row?.id);
            if (row === undefined || checkRun === undefined || started.has(row.id)) continue;
            if (checkRun.status !== 'completed') endJob(core, place, checkRun, 'cancelled');
          }
          advance(place);
        }),
      );
    },
    settled: async () => {
      while (active.size > 0) await Promise.all(active);
    },
    stop: () => {
      isStopped = true;
      for (const controller of stopping.values()) controller.abort();
      for (const next of waiting.splice(0)) next();
    },
  };
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
  const { file } = await readWorkflow(core, repository, run.testedSha, path);
  return file === null ? null : { repository, run, file };
}

/** The newest job of a key. If a rerun leaves a job out, the earlier result of the job still counts. */
function latestJob(core: Core, run: WorkflowRun, key: string): WorkflowJob | undefined {
  return core.state.workflowJobs.filter((each) => each.runId === run.id && each.key === key).at(-1);
}

function resultOf(core: Core, run: WorkflowRun, key: string): ConclusionName | null {
  return core.state.checkRuns.get(latestJob(core, run, key)?.id)?.conclusion ?? null;
}

function needsOf(core: Core, { run }: RunPlace, plan: Job): Record<string, Value> {
  const needs = plan.needs.map((key) => [key, { result: resultOf(core, run, key) ?? '', outputs: {} }]);
  return Object.fromEntries(needs) as Record<string, Value>;
}

function decideJob(core: Core, place: RunPlace, plan: Job, job: WorkflowJob): 'wait' | 'skipped' | 'failure' | 'run' {
  const results = plan.needs.map((key) => resultOf(core, place.run, key));
  if (results.includes(null)) return 'wait';
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

function script(core: Core, { repository, run }: RunPlace, checkRun: CheckRun, attempt: number) {
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
  changeRun(core, by, checkRun, { status: 'in_progress' });
  if (place.run.status === 'in_progress') return;
  Object.assign(place.run, { status: 'in_progress', updatedAt: core.now() });
  core.emit({ name: 'workflow_run', action: 'in_progress', ...by, run: place.run });
}

function endJob(core: Core, place: RunPlace, checkRun: CheckRun, conclusion: ConclusionName): void {
  changeRun(core, byActions(core, place), checkRun, { conclusion });
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
  core.state.save();
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
