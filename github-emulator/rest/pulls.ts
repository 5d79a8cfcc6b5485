// Pull requests: list, get, open, edit, merge, files, commits, update of the branch.
import { accountOf, hasRole, type Need } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { ApiError, forbidden, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { reachPull, reachRepository } from '../http/reach.ts';
import {
  created,
  noContent,
  ok,
  type RestAnswer,
  type RestRequest,
  type RestRoute,
  route,
  textOf,
} from '../http/route.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { editPull, type PullEdit } from '../pulls/editing.ts';
import { type MergeMethod, mergePull, updateBranch } from '../pulls/merging.ts';
import { openPull } from '../pulls/opening.ts';
import { refreshTestMerge } from '../pulls/test-merge.ts';
import { renderCommit, renderFiles } from '../render/commits.ts';
import { renderFullPull, renderPull } from '../render/pulls.ts';

const base = '/repos/{owner}/{repo}/pulls';
const one = `${base}/{pull_number}`;
const readPulls: Need = { permission: 'pull_requests', level: 'read' };
/** A person with read permission may open pull requests. */
const openPulls: Need = { permission: 'pull_requests', level: 'write', role: 'read' };

export const pullRoutes: readonly RestRoute[] = [
  route('GET', base, async (request) => {
    const repository = reachRepository(request, readPulls);
    const pulls = listPulls(request, repository);
    return await answerPage(request, pulls, (pull) => renderPull(request.core, repository, pull));
  }),
  route('POST', base, open, { makesContent: true }),
  route('GET', one, async (request) => {
    const { repository, pull } = reachPull(request, readPulls);
    const wanted = /\.(diff|patch)\b/.exec(String(request.headers['accept'] ?? ''))?.[1];
    if (wanted !== undefined) return await showDiff(request.core, { repository, pull }, wanted);
    if (!request.core.faults.isLagging()) await refreshTestMerge(request.core, repository, pull);
    return ok(await renderFullPull(request.core, repository, pull));
  }),
  route('PATCH', one, edit),
  route('GET', `${one}/commits`, async (request) => {
    const { repository, pull } = reachPull(request, readPulls);
    const { git } = request.core;
    const range = `${pull.base.sha}..${pull.head.sha}`;
    const list = await git.textOfObjects(repository, ['rev-list', '--reverse', '--topo-order', range]);
    const ids = list.split('\n').filter(Boolean);
    return await answerPage(request, ids, async (sha) => await showCommit(request.core, repository, sha));
  }),
  route('GET', `${one}/files`, async (request) => {
    const { repository, pull } = reachPull(request, readPulls);
    const { git } = request.core;
    const fork = await git.textOfObjects(repository, ['merge-base', pull.base.sha, pull.head.sha]);
    const files = await renderFiles(request.core, repository, { from: fork, to: pull.head.sha });
    return await answerPage(request, files, (file) => file);
  }),
  route('GET', `${one}/merge`, (request) => {
    const { pull } = reachPull(request, readPulls);
    if (pull.mergedAt === null) throw new ApiError(404, 'Not Found');
    return noContent;
  }),
  route('PUT', `${one}/merge`, merge),
  route('PUT', `${one}/update-branch`, async (request) => {
    const { repository, pull } = reachPull(request, { permission: 'pull_requests', level: 'write' });
    const expected = request.body['expected_head_sha'];
    if (expected !== undefined && expected !== pull.head.sha)
      throw unprocessable(`expected head sha didn’t match current head ref.`);
    const sender = accountOf(request.actor);
    const head = await updateBranch(request.core, { repository, pull, sender });
    if (head === null) throw unprocessable('There are no new commits on the base branch.');
    return { status: 202, body: { message: 'Updating pull request branch.', url: request.core.urls.web } };
  }),
  route('GET', '/repos/{owner}/{repo}/commits/{commit_sha}/pulls', async (request) => {
    const repository = reachRepository(request, readPulls);
    const { core, params } = request;
    const sha = params['commit_sha'] ?? '';
    const pulls = core.state.pullRequests.filter(
      (each) => each.repositoryId === repository.id && (each.head.sha === sha || each.mergeCommitSha === sha),
    );
    return await answerPage(request, pulls, (pull) => renderPull(core, repository, pull));
  }),
];

async function showDiff(
  core: Core,
  { repository, pull }: { repository: Repository; pull: PullRequest },
  wanted: string,
): Promise<RestAnswer> {
  const range = wanted === 'diff' ? `${pull.base.sha}...${pull.head.sha}` : `${pull.base.sha}..${pull.head.sha}`;
  const args = wanted === 'diff' ? ['diff', range] : ['format-patch', '--stdout', range];
  const { stdout } = await core.git.run(repository, args);
  return ok(stdout.toString('utf8'), { 'content-type': `application/vnd.github.${wanted}; charset=utf-8` });
}

export async function showCommit(core: Core, repository: Repository, sha: string): Promise<object> {
  const commit = await core.git.readCommit(repository, sha);
  if (commit === null) throw unprocessable(`No commit found for SHA: ${sha}`);
  return renderCommit(core, repository, commit);
}

function listPulls({ core, query }: RestRequest, repository: Repository): PullRequest[] {
  const state = query['state'] ?? 'open';
  const [owner, ref] = (query['head'] ?? '').split(/:(.*)/s);
  const isWanted = (pull: PullRequest): boolean => {
    if (pull.repositoryId !== repository.id || (state !== 'all' && pull.state !== state)) return false;
    if (query['base'] !== undefined && pull.base.ref !== query['base']) return false;
    // Like at GitHub, a filter by a head without an owner is ignored.
    if (ref === undefined) return true;
    const source = core.state.repositories.get(pull.head.repositoryId);
    const login = core.state.accounts.get(source?.ownerId)?.login.toLowerCase();
    return login === owner?.toLowerCase() && pull.head.ref === ref;
  };
  const sorting = query['sort'] === 'updated' ? 'updatedAt' : 'createdAt';
  const isRising = (query['direction'] ?? (query['sort'] === undefined ? 'desc' : 'asc')) === 'asc';
  const order = (a: PullRequest, b: PullRequest): number => a[sorting].localeCompare(b[sorting]) || a.number - b.number;
  const found = core.state.pullRequests.filter(isWanted).sort(order);
  return isRising ? found : found.toReversed();
}

async function open(request: RestRequest) {
  const repository = reachRepository(request, openPulls);
  const { core, actor, body } = request;
  if (typeof body['title'] !== 'string' || body['title'] === '')
    throw unprocessable({ resource: 'PullRequest', field: 'title', code: 'missing_field' });
  const named = body['head_repo'];
  const pull = await openPull(core, actor, {
    repository,
    given: {
      title: body['title'],
      body: textOf(body, 'body'),
      head: String(body['head']),
      ...(typeof named === 'string' ? { headRepository: named } : {}),
      base: String(body['base']),
      isDraft: body['draft'] === true,
      maintainerCanModify: body['maintainer_can_modify'] !== false,
    },
  });
  return created(await renderFullPull(core, repository, pull));
}

async function edit(request: RestRequest) {
  const { repository, pull } = reachPull(request, openPulls);
  const { core, actor, body } = request;
  const sender = accountOf(actor);
  if (pull.authorId !== sender.id && !hasRole(core, actor, { repository, role: 'triage' }) && actor.kind === 'user')
    throw forbidden('Must have push access to repository');
  const { maintainer_can_modify: maintainerCanModify, ...rest } = body;
  const wanted = { ...rest, ...(maintainerCanModify === undefined ? {} : { maintainerCanModify }) };
  await editPull(core, { repository, pull, sender }, wanted as PullEdit);
  return ok(await renderFullPull(core, repository, pull));
}

async function merge(request: RestRequest) {
  const { repository, pull } = reachPull(request, { permission: 'contents', level: 'write' });
  const { core, actor, body } = request;
  const sha = await mergePull(core, {
    repository,
    pull,
    actor,
    sender: accountOf(actor),
    method: (textOf(body, 'merge_method') ?? 'merge') as MergeMethod,
    sha: textOf(body, 'sha'),
    title: textOf(body, 'commit_title'),
    message: textOf(body, 'commit_message'),
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}
