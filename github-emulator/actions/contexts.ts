// The `github` context of a job's expressions, and the environment of its steps.
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import type { Repository, WorkflowJob, WorkflowRun } from '../model/types.ts';
import type { Value } from './expression.ts';

export interface JobPlace {
  readonly repository: Repository;
  readonly run: WorkflowRun;
  readonly job: WorkflowJob;
}

export function githubContext(core: Core, { repository, run, job }: JobPlace, token: string): Record<string, Value> {
  const { state, urls } = core;
  const pull = state.pullRequests.find((each) => each.repositoryId === repository.id && each.number === run.pullNumber);
  const ref = pull === undefined ? `refs/heads/${run.headBranch}` : `refs/pull/${pull.number}/merge`;
  const actor = state.accounts.must(run.actorId).login;
  const event: Record<string, Value> =
    pull === undefined
      ? { repository: about(core, repository), ref, after: run.headSha, inputs: run.inputs }
      : {
          repository: about(core, repository),
          number: pull.number,
          pull_request: {
            number: pull.number,
            title: pull.title,
            draft: pull.isDraft,
            head: { ref: pull.head.ref, sha: pull.head.sha },
            base: { ref: pull.base.ref, sha: pull.base.sha },
          },
        };
  return {
    event_name: run.event,
    event,
    ref,
    ref_name: pull === undefined ? (run.headBranch ?? '') : `${pull.number}/merge`,
    ref_type: 'branch',
    head_ref: pull?.head.ref ?? '',
    base_ref: pull?.base.ref ?? '',
    sha: run.testedSha,
    repository: fullNameOf(core, repository),
    repository_owner: fullNameOf(core, repository).split('/')[0] ?? '',
    actor,
    triggering_actor: actor,
    workflow: state.workflows.must(run.workflowId).name,
    job: job.key,
    run_id: String(run.id),
    run_number: String(run.runNumber),
    run_attempt: String(run.runAttempt),
    server_url: urls.web,
    api_url: urls.api,
    graphql_url: urls.graphql,
    token,
  };
}

function about(core: Core, repository: Repository): Value {
  return {
    name: repository.name,
    full_name: fullNameOf(core, repository),
    default_branch: repository.defaultBranch,
    private: repository.isPrivate,
  };
}

/** The environment variables `GITHUB_…`, and `CI`. */
export function githubEnvironment(context: Readonly<Record<string, Value>>): Record<string, string> {
  const named = Object.entries(context).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'token' ? [[`GITHUB_${name.toUpperCase()}`, value] as const] : [],
  );
  return { CI: 'true', GITHUB_ACTIONS: 'true', ...Object.fromEntries(named) };
}
