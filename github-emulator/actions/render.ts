// Workflows, their runs and jobs, as REST and webhooks show them.
import { renderPullsOf, renderSimpleCommit } from '../checks/render.ts';
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Repository, Workflow, WorkflowJob, WorkflowRun } from '../model/types.ts';
import { type Json, renderAccountOf } from '../render/accounts.ts';
import { renderRepository, repositoryUrl } from '../render/repositories.ts';

export function renderWorkflow(core: Core, repository: Repository, workflow: Workflow): Json {
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  const file = workflow.path.split('/').at(-1);
  return {
    id: workflow.id,
    node_id: nodeIdOf('workflows', workflow.id),
    name: workflow.name,
    path: workflow.path,
    state: workflow.state,
    created_at: workflow.createdAt,
    updated_at: workflow.updatedAt,
    url: `${repositoryUrl(core, repository)}/actions/workflows/${workflow.id}`,
    html_url: `${page}/blob/${repository.defaultBranch}/${workflow.path}`,
    badge_url: `${page}/actions/workflows/${file}/badge.svg`,
  };
}

export function pageOfWorkflowRun(core: Core, repository: Repository, run: WorkflowRun): string {
  return `${core.urls.web}/${fullNameOf(core, repository)}/actions/runs/${run.id}`;
}

export async function renderWorkflowRun(core: Core, repository: Repository, run: WorkflowRun): Promise<Json> {
  const workflow = core.state.workflows.must(run.workflowId);
  const root = repositoryUrl(core, repository);
  const url = `${root}/actions/runs/${run.id}`;
  const actor = renderAccountOf(core, run.actorId);
  const shown = renderRepository(core, repository);
  return {
    id: run.id,
    name: workflow.name,
    node_id: nodeIdOf('workflowRuns', run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: workflow.path,
    display_title: run.displayTitle,
    run_number: run.runNumber,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    check_suite_id: run.checkSuiteId,
    check_suite_node_id: nodeIdOf('checkSuites', run.checkSuiteId),
    url,
    html_url: pageOfWorkflowRun(core, repository, run),
    pull_requests: renderPullsOf(core, repository, run.headSha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor,
    run_attempt: run.runAttempt,
    referenced_workflows: [],
    run_started_at: run.runStartedAt,
    triggering_actor: actor,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${root}/check-suites/${run.checkSuiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.runAttempt > 1 ? `${url}/attempts/${run.runAttempt - 1}` : null,
    workflow_url: `${root}/actions/workflows/${run.workflowId}`,
    head_commit: await renderSimpleCommit(core, repository, run.headSha),
    repository: shown,
    head_repository: shown,
  };
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
    html_url: `${pageOfWorkflowRun(core, repository, run)}/job/${job.id}`,
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
