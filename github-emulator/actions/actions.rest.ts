// Workflows, runs and jobs by REST.
import { accountOf } from '../auth/actor.ts';
import { ApiError, forbidden, notFound } from '../http/errors.ts';
import { answerPage, withTotalCount } from '../http/paging.ts';
import { reachRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestAnswer, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { Repository, Workflow, WorkflowJob, WorkflowRun } from '../model/types.ts';
import { renderWorkflow, renderWorkflowRun } from '../render/checks.ts';
import { repositoryUrl } from '../render/repositories.ts';
import { readWorkflow, saveWorkflow } from './files.ts';
import { pageOfWorkflowRun, renderJob } from './render.ts';
import type { Runner } from './runner.ts';
import { startRun } from './starting.ts';
import { decideInputs } from './triggers.ts';

const read = { permission: 'actions', level: 'read' } as const;
const write = { permission: 'actions', level: 'write' } as const;
const root = '/repos/{owner}/{repo}/actions';
const accepted: RestAnswer = { status: 202, body: {} };
const oldestRerunMs = 30 * 24 * 3_600_000;

export function actionsRoutes(runner: Runner): readonly RestRoute[] {
  return [
    ...readingRoutes,
    route('POST', `${root}/workflows/{workflow_id}/dispatches`, async (request) => await dispatch(request, runner)),
    route('POST', `${root}/runs/{run_id}/cancel`, (request) => cancel(request, runner)),
    route('POST', `${root}/runs/{run_id}/force-cancel`, (request) => cancel(request, runner)),
    route('POST', `${root}/runs/{run_id}/rerun`, async (request) => {
      await runner.rerun(mustRerun(request, mustRun(request, reachRepository(request, write))), null);
      return created({});
    }),
    route('POST', `${root}/runs/{run_id}/rerun-failed-jobs`, async (request) => {
      const run = mustRerun(request, mustRun(request, reachRepository(request, write)));
      const { state } = request.core;
      const jobs = latestJobs(state.workflowJobs.filter((each) => each.runId === run.id));
      const failed = jobs.filter(({ id }) => {
        const { conclusion } = state.checkRuns.must(id);
        return conclusion !== 'success' && conclusion !== 'skipped' && conclusion !== 'neutral';
      });
      if (failed.length === 0) throw forbidden('This workflow run has no failed jobs');
      await runner.rerun(
        run,
        failed.map(({ key }) => key),
      );
      return created({});
    }),
    route('POST', `${root}/jobs/{job_id}/rerun`, async (request) => {
      const job = mustJob(request, reachRepository(request, write));
      const run = mustRerun(request, request.core.state.workflowRuns.must(job.runId));
      await runner.rerun(run, [job.key]);
      return created({});
    }),
  ];
}

const readingRoutes: readonly RestRoute[] = [
  route('GET', `${root}/workflows`, async (request) => {
    const repository = reachRepository(request, read);
    const workflows = request.core.state.workflows.filter((each) => each.repositoryId === repository.id);
    const render = (each: Workflow) => renderWorkflow(request.core, repository, each);
    return await answerPage(request, workflows, render, withTotalCount('workflows'));
  }),
  route('GET', `${root}/workflows/{workflow_id}`, async (request) => {
    const repository = reachRepository(request, read);
    return ok(renderWorkflow(request.core, repository, await mustWorkflow(request, repository)));
  }),
  route('GET', `${root}/workflows/{workflow_id}/runs`, async (request) => {
    const repository = reachRepository(request, read);
    const workflow = await mustWorkflow(request, repository);
    return await answerRuns(request, repository, (run) => run.workflowId === workflow.id);
  }),
  route(
    'GET',
    `${root}/runs`,
    async (request) => await answerRuns(request, reachRepository(request, read), () => true),
  ),
  route('GET', `${root}/runs/{run_id}`, async (request) => {
    const repository = reachRepository(request, read);
    return ok(await renderWorkflowRun(request.core, repository, mustRun(request, repository)));
  }),
  route('GET', `${root}/runs/{run_id}/jobs`, async (request) => {
    const repository = reachRepository(request, read);
    const run = mustRun(request, repository);
    const jobs = request.core.state.workflowJobs.filter((each) => each.runId === run.id);
    const shown = request.query['filter'] === 'all' ? jobs : latestJobs(jobs);
    return await answerPage(request, shown, (job) => renderJob(request.core, repository, job), withTotalCount('jobs'));
  }),
  route('GET', `${root}/jobs/{job_id}`, (request) => {
    const repository = reachRepository(request, read);
    return ok(renderJob(request.core, repository, mustJob(request, repository)));
  }),
  route('GET', `${root}/jobs/{job_id}/logs`, (request) => {
    const repository = reachRepository(request, read);
    const job = mustJob(request, repository);
    const location = `${request.core.urls.web}/_emulator/logs/${job.id}/${logKey(request, job)}`;
    return { status: 302, headers: { location } };
  }),
];

/**
 * The last part of the address of a log. GitHub has a signature there. So the address works without a token, as at
 * GitHub.
 */
function logKey({ core }: RestRequest, job: WorkflowJob): string {
  return core.state.checkRuns.must(job.id).externalId;
}

function latestJobs(jobs: readonly WorkflowJob[]): WorkflowJob[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()];
}

async function answerRuns(
  request: RestRequest,
  repository: Repository,
  isWanted: (run: WorkflowRun) => boolean,
): Promise<RestAnswer> {
  const { core, query } = request;
  const { head_sha: sha, event, branch, status, actor, check_suite_id: suite } = query;
  const runs = core.state.workflowRuns
    .filter((each) => each.repositoryId === repository.id && isWanted(each))
    // An empty `head_sha` does not filter.
    .filter((each) => sha === undefined || sha === '' || each.headSha === sha)
    .filter((each) => event === undefined || each.event === event)
    .filter((each) => branch === undefined || each.headBranch === branch)
    .filter((each) => status === undefined || each.status === status || each.conclusion === status)
    .filter((each) => actor === undefined || core.state.accounts.must(each.actorId).login === actor)
    .filter((each) => suite === undefined || each.checkSuiteId === Number(suite))
    .toReversed();
  const render = async (run: WorkflowRun) => await renderWorkflowRun(core, repository, run);
  return await answerPage(request, runs, render, withTotalCount('workflow_runs'));
}

function cancel(request: RestRequest, runner: Runner): RestAnswer {
  const run = mustRun(request, reachRepository(request, write));
  if (run.status === 'completed') throw new ApiError(409, 'Cannot cancel a workflow run that is completed.');
  runner.cancel(run);
  return accepted;
}

async function dispatch(request: RestRequest, runner: Runner): Promise<RestAnswer> {
  const repository = reachRepository(request, write);
  const { core, body } = request;
  if (!core.faults.knowsRunDetails() && Object.hasOwn(body, 'return_run_details'))
    throw new ApiError(422, 'Invalid request.\n\n"return_run_details" is not a permitted key.');
  const workflow = await mustWorkflow(request, repository);
  if (workflow.state !== 'active')
    throw new ApiError(422, "Cannot trigger a 'workflow_dispatch' on a disabled workflow");
  const run = await startDispatched(request, repository, workflow);
  await runner.begin(run);
  if (body['return_run_details'] !== true) return noContent;
  return ok({
    workflow_run_id: run.id,
    run_url: `${repositoryUrl(core, repository)}/actions/runs/${run.id}`,
    html_url: pageOfWorkflowRun(core, repository, run),
  });
}

/** Starts a run of the workflow file at the ref of the request. */
async function startDispatched(
  { core, body, actor }: RestRequest,
  repository: Repository,
  { path }: Workflow,
): Promise<WorkflowRun> {
  const { ref, inputs = {} } = body as { ref: string; inputs?: Record<string, unknown> };
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  const isCommit = /^[0-9a-f]{40}$/.test(name);
  const sha = isCommit ? null : await core.git.resolve(repository, name);
  if (sha === null) throw new ApiError(422, `No ref found for: ${ref}`);
  const found = await readWorkflow(core, repository, { sha, path });
  if (found.file === null) throw new ApiError(422, found.fault);
  const { file } = found;
  const decision = decideInputs(file, inputs);
  if (decision.kind === 'refused') throw new ApiError(422, decision.message);
  const sender = accountOf(actor);
  return startRun(
    core,
    {
      repository,
      sender,
      event: 'workflow_dispatch',
      headBranch: name,
      headSha: sha,
      testedSha: sha,
      before: null,
      pull: null,
      inputs: decision.inputs,
    },
    file,
  );
}

/**
 * Finds a workflow by its id or the name of its file. A file on the default branch is found even before its first run.
 */
async function mustWorkflow(request: RestRequest, repository: Repository): Promise<Workflow> {
  const { core, params } = request;
  const wanted = params['workflow_id'] ?? '';
  const found = core.state.workflows.find(
    (each) =>
      each.repositoryId === repository.id && (String(each.id) === wanted || each.path.split('/').at(-1) === wanted),
  );
  if (found !== undefined) return found;
  const main = await core.git.resolve(repository, `refs/heads/${repository.defaultBranch}`);
  const path = `.github/workflows/${wanted}`;
  const read = main === null ? null : await readWorkflow(core, repository, { sha: main, path });
  if (read === null || read.file === null) throw notFound();
  return saveWorkflow(core, repository, read.file);
}

function mustRun(request: RestRequest, repository: Repository): WorkflowRun {
  const run = request.core.state.workflowRuns.get(Number(request.params['run_id']));
  if (run === undefined || run.repositoryId !== repository.id) throw notFound();
  return run;
}

function mustJob(request: RestRequest, repository: Repository): WorkflowJob {
  const job = request.core.state.workflowJobs.get(Number(request.params['job_id']));
  const run = request.core.state.workflowRuns.get(job?.runId);
  if (job === undefined || run === undefined || run.repositoryId !== repository.id) throw notFound();
  return job;
}

function mustRerun({ core }: RestRequest, run: WorkflowRun): WorkflowRun {
  if (run.status !== 'completed') throw forbidden('This workflow is already running');
  if (run.conclusion === 'startup_failure')
    throw forbidden('This workflow run cannot be retried: its workflow file is broken');
  if (core.clock() - Date.parse(run.createdAt) > oldestRerunMs)
    throw forbidden('Unable to retry this workflow run because it was created over a month ago');
  return run;
}
