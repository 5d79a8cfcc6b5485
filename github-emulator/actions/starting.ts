// Starts, for each event, a run of every workflow that has a trigger for the event.
import { makeRun, makeSuite, endSuite, refreshSuite } from '../checks/runs.ts';
import type { Core } from '../core.ts';
import type { CheckRun, PullRequest, Repository, Account, Workflow, WorkflowJob, WorkflowRun } from '../model/types.ts';
import type { HostEvent } from '../webhooks/events.ts';
import { actionsApp, actionsBot } from './app.ts';
import { readChangedPaths, type LoadedWorkflow, readWorkflows, saveWorkflow } from './files.ts';
import { pageOfJob } from './render.ts';
import { isStartedBy, type TriggerEvent } from './triggers.ts';
import type { Job, WorkflowFile } from './workflow-file.ts';

export interface Start {
  readonly repository: Repository;
  readonly sender: Account;
  readonly event: 'push' | 'pull_request' | 'workflow_dispatch';
  readonly headBranch: string | null;
  readonly headSha: string;
  readonly testedSha: string;
  readonly before: string | null;
  readonly pull: PullRequest | null;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Starts the workflows that an event triggers. Returns the runs that have jobs to run. */
export async function startForEvent(core: Core, event: HostEvent): Promise<WorkflowRun[]> {
  // An event that a workflow caused with its own token starts no further workflow.
  if (event.sender.id === actionsBot(core).id) return [];
  const start = await readStart(core, event);
  if (start === null) return [];
  const runs: WorkflowRun[] = [];
  for (const read of await readWorkflows(core, start.repository, start.testedSha)) {
    if (read.file === null) {
      if (start.event === 'push') startBroken(core, start, read);
      continue;
    }
    const { state } = saveWorkflow(core, start.repository, read.file);
    if (state === 'active' && isStartedBy(read.file, start.trigger)) runs.push(startRun(core, start, read.file));
  }
  return runs;
}

async function readStart(core: Core, event: HostEvent): Promise<(Start & { trigger: TriggerEvent }) | null> {
  if (event.name === 'push') return await readPush(core, event);
  if (event.name !== 'pull_request') return null;
  const { repository, sender, pull, action } = event;
  const testedSha = pull.testMerge?.head === pull.head.sha ? pull.testMerge.commit : null;
  if (testedSha === null || pull.state === 'closed') return null;
  const headSha = pull.head.sha;
  const message = (await core.git.readCommit(repository, headSha))?.message ?? '';
  const changedPaths = await readChangedPaths(core, repository, { base: pull.base.sha, head: headSha });
  return {
    repository,
    sender,
    event: 'pull_request',
    headBranch: pull.head.ref,
    headSha,
    testedSha,
    before: null,
    pull,
    inputs: {},
    trigger: { kind: 'pull_request', action, base: pull.base.ref, changedPaths, message },
  };
}

async function readPush(
  core: Core,
  { repository, sender, change }: HostEvent & { name: 'push' },
): Promise<(Start & { trigger: TriggerEvent }) | null> {
  const { ref, from, to } = change;
  if (to === null) return null;
  const commit = await core.git.readCommit(repository, to);
  if (commit === null) return null;
  const main = await core.git.resolve(repository, `refs/heads/${repository.defaultBranch}`);
  const base = from ?? (main === to ? null : main);
  const changedPaths = await readChangedPaths(core, repository, { base, head: to });
  return {
    repository,
    sender,
    event: 'push',
    headBranch: ref.replace(/^refs\/(heads|tags)\//, ''),
    headSha: to,
    testedSha: to,
    before: from,
    pull: null,
    inputs: {},
    trigger: { kind: 'push', ref, changedPaths, message: commit.message },
  };
}

function makeWorkflowRun(core: Core, start: Start, file: Pick<Workflow, 'path' | 'name'>): WorkflowRun {
  const { repository, sender, event, headBranch, headSha, testedSha } = start;
  const workflow = saveWorkflow(core, repository, file);
  const appId = actionsApp(core).id;
  const suite = makeSuite(core, repository, { appId, headSha, headBranch, before: start.before });
  const at = core.now();
  const earlier = core.state.workflowRuns.filter((each) => each.workflowId === workflow.id).length;
  return core.state.workflowRuns.insert({
    repositoryId: repository.id,
    workflowId: workflow.id,
    checkSuiteId: suite.id,
    runNumber: earlier + 1,
    event,
    headBranch,
    headSha,
    testedSha,
    actorId: sender.id,
    inputs: { ...start.inputs },
    pullNumber: start.pull?.number ?? null,
    runAttempt: 1,
    runStartedAt: at,
    status: 'queued',
    conclusion: null,
    displayTitle: start.pull?.title ?? file.name,
    createdAt: at,
    updatedAt: at,
  });
}

export function startRun(core: Core, start: Start, file: WorkflowFile): WorkflowRun {
  const { repository, sender } = start;
  const run = makeWorkflowRun(core, start, file);
  core.emit({ name: 'workflow_run', action: 'requested', repository, sender, run });
  for (const job of file.jobs) if (job.needs.length === 0) makeJob(core, { repository, sender }, { run, job });
  refreshSuite(core, { repository, sender }, core.state.checkSuites.must(run.checkSuiteId));
  return run;
}

/** Makes a run that has failed already, for a workflow file that cannot be parsed. */
function startBroken(core: Core, start: Start, { path }: LoadedWorkflow): void {
  const { repository, sender } = start;
  const run = makeWorkflowRun(core, start, { path, name: path });
  core.emit({ name: 'workflow_run', action: 'requested', repository, sender, run });
  Object.assign(run, { status: 'completed', conclusion: 'startup_failure', updatedAt: core.now() });
  endSuite(
    core,
    { repository, sender },
    { suite: core.state.checkSuites.must(run.checkSuiteId), conclusion: 'startup_failure' },
  );
  core.emit({ name: 'workflow_run', action: 'completed', repository, sender, run });
}

export function makeJob(
  core: Core,
  by: { readonly repository: Repository; readonly sender: Account },
  { run, job }: { readonly run: WorkflowRun; readonly job: Pick<Job, 'key' | 'label'> },
): { readonly job: WorkflowJob; readonly checkRun: CheckRun } {
  const suite = core.state.checkSuites.must(run.checkSuiteId);
  const given = { name: job.label, externalId: `${run.id}-${job.key}`, detailsUrl: null, startedAt: core.now() };
  const checkRun = makeRun(core, by, { suite, given });
  checkRun.detailsUrl = pageOfJob(core, by.repository, { run, jobId: checkRun.id });
  const row = { runId: run.id, runAttempt: run.runAttempt, key: job.key, name: job.label, steps: [], log: '' };
  return { checkRun, job: core.state.workflowJobs.insert({ id: checkRun.id, ...row }) };
}
