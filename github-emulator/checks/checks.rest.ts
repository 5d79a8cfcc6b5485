// Check runs and check suites by REST. Only Apps can write them.
import { accountOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { ApiError, forbidden, notFound, unprocessable } from '../http/errors.ts';
import { answerPage, withTotalCount } from '../http/paging.ts';
import { reachRepository } from '../http/reach.ts';
import { created, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { App, CheckRun, CheckSuite, Repository } from '../model/types.ts';
import { changeRun, makeRun, refreshSuite, rerequestRun, rerequestSuite, type RunChange, suiteFor } from './runs.ts';
import { renderCheckRun, renderCheckSuite } from '../render/checks.ts';
import { latestRuns, runsOfCommit, runsOfSuite, suitesOf } from './results.ts';

const read = { permission: 'checks', level: 'read' } as const;
const write = { permission: 'checks', level: 'write' } as const;
const oneRun = '/repos/{owner}/{repo}/check-runs/{check_run_id}';
const oneSuite = '/repos/{owner}/{repo}/check-suites/{check_suite_id}';

export const checkRoutes: readonly RestRoute[] = [
  route('POST', '/repos/{owner}/{repo}/check-runs', createRun, { makesContent: true }),
  route('PATCH', oneRun, (request) => {
    const repository = reachRepository(request, write);
    const run = mustRun(request, repository);
    if (mustBeApp(request).id !== run.appId)
      throw forbidden(
        `Invalid app_id \`${mustBeApp(request).id}\` - check run can only be modified by the GitHub App that created it.`,
      );
    changeRun(
      request.core,
      { repository, sender: accountOf(request.actor) },
      { run, change: readChange(request, run) },
    );
    return ok(renderCheckRun(request.core, repository, run));
  }),
  route('GET', oneRun, (request) => {
    const repository = reachRepository(request, read);
    return ok(renderCheckRun(request.core, repository, mustRun(request, repository)));
  }),
  route('POST', `${oneRun}/rerequest`, (request) => {
    const repository = reachRepository(request, write);
    const run = mustRun(request, repository);
    if (run.status !== 'completed') throw new ApiError(422, 'This check run is not rerequestable.');
    rerequestRun(request.core, { repository, sender: accountOf(request.actor) }, run);
    return created({});
  }),
  route('GET', '/repos/{owner}/{repo}/commits/{ref}/check-runs', async (request) => {
    const repository = reachRepository(request, read);
    const sha = await mustCommit(request, repository);
    return await answerRuns(request, repository, runsOfCommit(request.core, repository, sha));
  }),
  route('GET', '/repos/{owner}/{repo}/commits/{ref}/check-suites', async (request) => {
    const repository = reachRepository(request, read);
    const sha = await mustCommit(request, repository);
    const { app_id: appId, check_name: name } = request.query;
    const suites = suitesOf(request.core, repository, sha)
      .filter((each) => appId === undefined || each.appId === Number(appId))
      .filter((each) => name === undefined || runsOfSuite(request.core, each).some((run) => run.name === name));
    const render = async (each: CheckSuite) => await renderCheckSuite(request.core, repository, each);
    return await answerPage(request, suites, render, withTotalCount('check_suites'));
  }),
  route('GET', oneSuite, async (request) => {
    const repository = reachRepository(request, read);
    return ok(await renderCheckSuite(request.core, repository, mustSuite(request, repository)));
  }),
  route('GET', `${oneSuite}/check-runs`, async (request) => {
    const repository = reachRepository(request, read);
    return await answerRuns(request, repository, runsOfSuite(request.core, mustSuite(request, repository)));
  }),
  route('POST', `${oneSuite}/rerequest`, (request) => {
    const repository = reachRepository(request, write);
    rerequestSuite(request.core, { repository, sender: accountOf(request.actor) }, mustSuite(request, repository));
    return created({});
  }),
];

function mustBeApp({ actor }: RestRequest): App {
  if (actor.kind === 'installation') return actor.app;
  throw forbidden('You must authenticate via a GitHub App.');
}

async function createRun(request: RestRequest): Promise<ReturnType<typeof created>> {
  const repository = reachRepository(request, write);
  const { core } = request;
  const app = mustBeApp(request);
  const headSha = String(request.body['head_sha']);
  const commit = /^[0-9a-f]{40}$/.test(headSha) ? await core.git.resolve(repository, headSha) : null;
  if (commit === null) throw unprocessable(`No commit found for SHA: ${headSha}`);
  const headBranch = await branchAt(core, repository, commit);
  const suite = suiteFor(core, repository, { appId: app.id, headSha: commit, headBranch, before: null });
  const by = { repository, sender: accountOf(request.actor) };
  const given = readChange(request, null);
  const run = makeRun(core, by, {
    suite,
    given: {
      name: String(request.body['name']),
      externalId: given.externalId ?? '',
      detailsUrl: given.detailsUrl ?? app.externalUrl,
      startedAt: given.startedAt ?? core.now(),
    },
  });
  changeRun(core, by, { run, change: given });
  refreshSuite(core, by, suite);
  return created(renderCheckRun(core, repository, run));
}

async function branchAt(core: Core, repository: Repository, sha: string): Promise<string | null> {
  const refs = await core.git.listRefs(repository, 'refs/heads/');
  const ref = [...refs].find(([, at]) => at === sha)?.[0];
  return ref?.replace('refs/heads/', '') ?? null;
}

function readChange({ body }: RestRequest, before: CheckRun | null): RunChange {
  const given = body as {
    name?: string;
    status?: CheckRun['status'];
    conclusion?: CheckRun['conclusion'];
    external_id?: string;
    details_url?: string;
    started_at?: string;
    completed_at?: string;
    output?: { title?: string; summary?: string; text?: string };
  };
  if (given.status === 'completed' && given.conclusion === undefined)
    throw unprocessable({ resource: 'CheckRun', field: 'conclusion', code: 'missing_field' });
  if (given.output !== undefined && given.output.summary === undefined)
    throw unprocessable({ resource: 'CheckRun', field: 'summary', code: 'missing_field' });
  return {
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.status === undefined ? {} : { status: given.status }),
    ...(given.conclusion === undefined ? {} : { conclusion: given.conclusion }),
    ...(given.external_id === undefined ? {} : { externalId: given.external_id }),
    ...(given.details_url === undefined ? {} : { detailsUrl: given.details_url }),
    ...(given.started_at === undefined ? {} : { startedAt: given.started_at }),
    ...(given.completed_at === undefined ? {} : { completedAt: given.completed_at }),
    ...(given.output === undefined
      ? {}
      : {
          output: {
            title: given.output.title ?? before?.output.title ?? null,
            summary: given.output.summary ?? null,
            text: given.output.text ?? before?.output.text ?? null,
          },
        }),
  };
}

async function answerRuns(request: RestRequest, repository: Repository, all: readonly CheckRun[]) {
  const { filter = 'latest', check_name: name, status, app_id: appId } = request.query;
  const chosen = (filter === 'latest' ? latestRuns(all) : [...all])
    .filter((each) => name === undefined || each.name === name)
    .filter((each) => status === undefined || each.status === status)
    .filter((each) => appId === undefined || each.appId === Number(appId))
    .toReversed();
  return await answerPage(
    request,
    chosen,
    (run) => renderCheckRun(request.core, repository, run),
    withTotalCount('check_runs'),
  );
}

export function mustRun(request: RestRequest, repository: Repository): CheckRun {
  const run = request.core.state.checkRuns.get(Number(request.params['check_run_id']));
  if (run === undefined || run.repositoryId !== repository.id) throw notFound();
  return run;
}

function mustSuite(request: RestRequest, repository: Repository): CheckSuite {
  const suite = request.core.state.checkSuites.get(Number(request.params['check_suite_id']));
  if (suite === undefined || suite.repositoryId !== repository.id) throw notFound();
  return suite;
}

export async function mustCommit(request: RestRequest, repository: Repository): Promise<string> {
  const ref = request.params['ref'] ?? '';
  const sha = await request.core.git.resolve(repository, ref);
  if (sha === null) throw new ApiError(422, `No commit found for SHA: ${ref}`);
  return sha;
}
