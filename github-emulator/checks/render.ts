// Check runs, check suites and statuses, as REST and webhooks show them.
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { CheckRun, CheckSuite, CommitStatus, PullRequest, Repository } from '../model/types.ts';
import { type Json, renderAccount, renderAccountOf, renderAppOf } from '../render/accounts.ts';
import { renderRepository, repositoryUrl } from '../render/repositories.ts';
import { latestRuns, runsOfSuite } from './results.ts';

/** GitHub names the open pull requests of this repository whose head the commit is. */
export function renderPullsOf(core: Core, repository: Repository, sha: string): Json[] {
  return core.state.pullRequests
    .filter((each) => each.state === 'open' && each.head.sha === sha && each.head.repositoryId === repository.id)
    .filter((each) => each.repositoryId === repository.id)
    .map((pull) => renderMinimalPull(core, repository, pull));
}

function renderMinimalPull(core: Core, repository: Repository, pull: PullRequest): Json {
  const url = repositoryUrl(core, repository);
  const repo = { id: repository.id, url, name: repository.name };
  return {
    id: pull.id,
    number: pull.number,
    url: `${url}/pulls/${pull.number}`,
    head: { ref: pull.head.ref, sha: pull.head.sha, repo },
    base: { ref: pull.base.ref, sha: pull.base.sha, repo },
  };
}

export function pageOfRun(core: Core, repository: Repository, run: CheckRun): string {
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  const job = core.state.workflowJobs.get(run.id);
  return job === undefined ? `${page}/runs/${run.id}` : `${page}/actions/runs/${job.runId}/job/${job.id}`;
}

export function renderCheckRun(core: Core, repository: Repository, run: CheckRun): Json {
  const url = `${repositoryUrl(core, repository)}/check-runs/${run.id}`;
  const page = pageOfRun(core, repository, run);
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
    output: { ...run.output, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: { id: run.checkSuiteId },
    app: renderAppOf(core, run.appId),
    pull_requests: renderPullsOf(core, repository, run.headSha),
  };
}

export async function renderCheckSuite(core: Core, repository: Repository, suite: CheckSuite): Promise<Json> {
  const url = `${repositoryUrl(core, repository)}/check-suites/${suite.id}`;
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
    latest_check_runs_count: latestRuns(runsOfSuite(core, suite)).length,
    check_runs_url: `${url}/check-runs`,
    head_commit: await renderSimpleCommit(core, repository, suite.headSha),
    repository: renderRepository(core, repository),
  };
}

export async function renderSimpleCommit(core: Core, repository: Repository, sha: string): Promise<Json> {
  const commit = await core.git.readCommit(repository, sha);
  const nobody = { name: '', email: '' };
  const person = (who: { name: string; email: string } | undefined): Json =>
    who === undefined ? nobody : { name: who.name, email: who.email };
  return {
    id: sha,
    tree_id: commit?.tree ?? '',
    message: commit?.message ?? '',
    timestamp: commit?.committer.date ?? core.now(),
    author: person(commit?.author),
    committer: person(commit?.committer),
  };
}

export function renderStatus(core: Core, repository: Repository, status: CommitStatus): Json {
  const creator = core.state.accounts.must(status.creatorId);
  return { ...renderSimpleStatus(core, repository, status), creator: renderAccount(core, creator) };
}

export function renderSimpleStatus(core: Core, repository: Repository, status: CommitStatus): Json {
  return {
    url: `${repositoryUrl(core, repository)}/statuses/${status.sha}`,
    avatar_url: renderAccountOf(core, status.creatorId)?.['avatar_url'] ?? null,
    id: status.id,
    node_id: nodeIdOf('statuses', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.updatedAt,
  };
}
