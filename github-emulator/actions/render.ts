// Renders jobs of workflow runs for REST, and the addresses of the pages of runs and jobs.
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Repository, WorkflowJob, WorkflowRun } from '../model/types.ts';
import type { Json } from '../render/accounts.ts';
import { repositoryUrl } from '../render/repositories.ts';

export function pageOfWorkflowRun(core: Core, repository: Repository, run: WorkflowRun): string {
  return `${core.urls.web}/${fullNameOf(core, repository)}/actions/runs/${run.id}`;
}

export function pageOfJob(
  core: Core,
  repository: Repository,
  { run, jobId }: { readonly run: WorkflowRun; readonly jobId: number },
): string {
  return `${pageOfWorkflowRun(core, repository, run)}/job/${jobId}`;
}

export function renderJob(core: Core, repository: Repository, job: WorkflowJob): Json {
  const run = core.state.workflowRuns.must(job.runId);
  const checkRun = core.state.checkRuns.must(job.id);
  const root = repositoryUrl(core, repository);
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: core.state.workflows.must(run.workflowId).name,
    head_branch: run.headBranch,
    run_url: `${root}/actions/runs/${run.id}`,
    run_attempt: job.runAttempt,
    node_id: nodeIdOf('checkRuns', job.id),
    head_sha: run.headSha,
    url: `${root}/actions/jobs/${job.id}`,
    html_url: pageOfJob(core, repository, { run, jobId: job.id }),
    status: checkRun.status,
    conclusion: checkRun.conclusion,
    created_at: run.createdAt,
    started_at: checkRun.startedAt ?? run.createdAt,
    completed_at: checkRun.completedAt,
    name: job.name,
    steps: job.steps,
    check_run_url: `${root}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: null,
    runner_name: null,
    runner_group_id: null,
    runner_group_name: null,
  };
}
