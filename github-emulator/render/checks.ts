// Checks, statuses, workflows and rulesets, in the form of REST and webhooks.
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type {
  CheckRun,
  CheckSuite,
  CommitStatus,
  PullRequest,
  Repository,
  Ruleset,
  Workflow,
  WorkflowRun,
} from '../model/types.ts';
import { type Json, renderAccountOf, renderAppOf } from './accounts.ts';
import { renderRepository, repositoryUrl } from './repositories.ts';

export function renderCheckRun(core: Core, repository: Repository, run: CheckRun): Json {
  const url = `${repositoryUrl(core, repository)}/check-runs/${run.id}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/runs/${run.id}`;
  const { title, summary, text } = run.output;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeIdOf('checkRuns', run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { title, summary, text, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: { id: run.checkSuiteId },
    app: renderAppOf(core, run.appId),
    pull_requests: renderPullsOf(core, repository, run.headSha),
  };
}

export async function renderCheckSuite(core: Core, repository: Repository, suite: CheckSuite): Promise<Json> {
  const url = `${repositoryUrl(core, repository)}/check-suites/${suite.id}`;
  const runs = core.state.checkRuns.filter(({ checkSuiteId }) => checkSuiteId === suite.id);
  return {
    id: suite.id,
    node_id: nodeIdOf('checkSuites', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion,
    url,
    before: suite.before,
    after: suite.after,
    pull_requests: renderPullsOf(core, repository, suite.headSha),
    app: renderAppOf(core, suite.appId),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: new Set(runs.map(({ name }) => name)).size,
    check_runs_url: `${url}/check-runs`,
    head_commit: await renderHeadCommit(core, repository, suite.headSha),
    repository: renderRepository(core, repository),
  };
}

/** The open pull requests of the repository whose head is the commit. */
export function renderPullsOf(core: Core, repository: Repository, sha: string): Json[] {
  const pulls = core.state.pullRequests.filter(
    (each) => each.head.sha === sha && each.state === 'open' && each.repositoryId === repository.id,
  );
  const { id, name } = repository;
  const repo = { id, name, url: repositoryUrl(core, repository) };
  return pulls
    .filter(({ head }) => head.repositoryId === repository.id)
    .map(({ id, number, head, base }: PullRequest) => ({
      id,
      number,
      url: `${repo.url}/pulls/${number}`,
      head: { ref: head.ref, sha: head.sha, repo },
      base: { ref: base.ref, sha: base.sha, repo },
    }));
}

export async function renderHeadCommit(core: Core, repository: Repository, sha: string): Promise<Json | null> {
  const commit = await core.git.readCommit(repository, sha);
  if (commit === null) return null;
  const { author, committer, message, tree } = commit;
  return {
    id: sha,
    tree_id: tree,
    message,
    timestamp: committer.date,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}

export function renderStatus(core: Core, repository: Repository, status: CommitStatus): Json {
  return {
    url: `${repositoryUrl(core, repository)}/statuses/${status.sha}`,
    avatar_url: `${core.urls.web}/avatars/u/${status.creatorId}`,
    id: status.id,
    node_id: nodeIdOf('statuses', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.updatedAt,
    creator: renderAccountOf(core, status.creatorId),
  };
}

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

export async function renderWorkflowRun(core: Core, repository: Repository, run: WorkflowRun): Promise<Json> {
  const url = `${repositoryUrl(core, repository)}/actions/runs/${run.id}`;
  const workflow = core.state.workflows.get(run.workflowId);
  const shown = renderRepository(core, repository);
  const previous = run.runAttempt - 1;
  return {
    id: run.id,
    name: workflow?.name ?? null,
    node_id: nodeIdOf('workflowRuns', run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: workflow?.path ?? '',
    display_title: run.displayTitle,
    run_number: run.runNumber,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    check_suite_id: run.checkSuiteId,
    check_suite_node_id: nodeIdOf('checkSuites', run.checkSuiteId),
    url,
    html_url: `${core.urls.web}/${fullNameOf(core, repository)}/actions/runs/${run.id}`,
    pull_requests: renderPullsOf(core, repository, run.headSha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor: renderAccountOf(core, run.actorId),
    triggering_actor: renderAccountOf(core, run.actorId),
    run_attempt: run.runAttempt,
    referenced_workflows: [],
    run_started_at: run.runStartedAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repositoryUrl(core, repository)}/check-suites/${run.checkSuiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: previous === 0 ? null : `${url}/attempts/${previous}`,
    workflow_url: `${repositoryUrl(core, repository)}/actions/workflows/${run.workflowId}`,
    head_commit: await renderHeadCommit(core, repository, run.headSha),
    repository: shown,
    head_repository: shown,
  };
}

export function renderRuleset(core: Core, repository: Repository, ruleset: Ruleset): Json {
  return {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: 'Repository',
    source: fullNameOf(core, repository),
    enforcement: ruleset.enforcement,
    node_id: nodeIdOf('rulesets', ruleset.id),
    bypass_actors: ruleset.bypassActors,
    conditions: ruleset.conditions,
    rules: ruleset.rules,
    created_at: ruleset.createdAt,
    updated_at: ruleset.updatedAt,
    _links: { self: { href: `${repositoryUrl(core, repository)}/rulesets/${ruleset.id}` } },
  };
}
