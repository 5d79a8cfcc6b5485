// Refs, commits, branches, comparisons and files.
import { accountOf, type Need } from '../auth/actor.ts';
import { ApiError, notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { fullNameOf, reachRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestRequest, type RestRoute, route, textOf } from '../http/route.ts';
import { GitError } from '../git/run.ts';
import type { RefChange } from '../git/store.ts';
import type { Repository } from '../model/types.ts';
import { emptyTree, makeCommit, mergeTrees, signatureOf } from '../git/commits.ts';
import { renderCommit, renderFiles, renderGitCommit, renderRef } from '../render/commits.ts';
import { repositoryUrl } from '../render/repositories.ts';
import { showCommit } from './pulls.ts';
import { readShownRefs } from '../git/shown-refs.ts';

const repo = '/repos/{owner}/{repo}';
const read: Need = { permission: 'contents', level: 'read' };
const write: Need = { permission: 'contents', level: 'write' };

export const gitRoutes: readonly RestRoute[] = [
  route('GET', `${repo}/git/ref/{ref}`, async (request) => {
    const repository = reachRepository(request, read);
    const ref = `refs/${request.params['ref']}`;
    const sha = (await readShownRefs(request.core, repository, ref)).get(ref);
    if (sha === undefined) throw notFound();
    const type = await typeOf(request, repository, sha);
    return ok(renderRef(request.core, repository, { ref, sha, type }));
  }),
  route('GET', `${repo}/git/matching-refs/{ref}`, async (request) => {
    const repository = reachRepository(request, read);
    const prefix = `refs/${request.params['ref']}`;
    const refs = [...(await readShownRefs(request.core, repository, 'refs/'))].filter(([ref]) =>
      ref.startsWith(prefix),
    );
    return await answerPage(request, refs, ([ref, sha]) => renderRef(request.core, repository, { ref, sha }));
  }),
  route('POST', `${repo}/git/refs`, async (request) => {
    const repository = reachRepository(request, write);
    const { ref, sha } = request.body as { ref: string; sha: string };
    if (!/^refs\/[^/]+\/./.test(ref))
      throw unprocessable('Reference name must start with "refs/" and contain a slash.');
    if ((await request.core.git.resolve(repository, sha)) === null) throw new ApiError(422, 'Object does not exist');
    if ((await request.core.git.listRefs(repository, ref)).has(ref))
      throw new ApiError(422, 'Reference already exists');
    await moveByApi(request, repository, { ref, from: null, to: sha });
    return created(renderRef(request.core, repository, { ref, sha }));
  }),
  route('PATCH', `${repo}/git/refs/{ref}`, async (request) => {
    const repository = reachRepository(request, write);
    const ref = `refs/${request.params['ref']}`;
    const { sha, force } = request.body as { sha: string; force?: boolean };
    const { git } = request.core;
    const from = (await git.listRefs(repository, ref)).get(ref);
    if (from === undefined) throw new ApiError(422, 'Reference does not exist');
    if ((await git.resolve(repository, sha)) === null) throw new ApiError(422, 'Object does not exist');
    if (force !== true && !(await git.isAncestor(repository, from, sha)))
      throw new ApiError(422, 'Update is not a fast forward');
    await moveByApi(request, repository, { ref, from, to: sha });
    return ok(renderRef(request.core, repository, { ref, sha }));
  }),
  route('DELETE', `${repo}/git/refs/{ref}`, async (request) => {
    const repository = reachRepository(request, write);
    const ref = `refs/${request.params['ref']}`;
    const from = (await request.core.git.listRefs(repository, ref)).get(ref);
    if (from === undefined) throw new ApiError(422, 'Reference does not exist');
    await moveByApi(request, repository, { ref, from, to: null });
    return noContent;
  }),
  route('GET', `${repo}/git/commits/{commit_sha}`, async (request) => {
    const repository = reachRepository(request, read);
    const commit = await request.core.git.readCommit(repository, request.params['commit_sha'] ?? '');
    if (commit === null) throw notFound();
    return ok(renderGitCommit(request.core, repository, commit));
  }),
  route('GET', `${repo}/commits`, async (request) => {
    const repository = reachRepository(request, read);
    const start = await resolveShown(request, repository, request.query['sha'] ?? repository.defaultBranch);
    if (start === null) {
      const isEmpty = (await request.core.git.listRefs(repository, 'refs/heads')).size === 0;
      throw isEmpty ? new ApiError(409, 'Git Repository is empty.') : notFound();
    }
    const list = await request.core.git.textOfObjects(repository, ['rev-list', '--max-count=1000', start]);
    return await answerPage(
      request,
      list.split('\n').filter(Boolean),
      async (sha) => await showCommit(request.core, repository, sha),
    );
  }),
  route('GET', `${repo}/commits/{ref}`, async (request) => {
    const repository = reachRepository(request, read);
    const ref = request.params['ref'] ?? '';
    const sha = await resolveShown(request, repository, ref);
    const commit = sha === null ? null : await request.core.git.readCommit(repository, sha);
    if (commit === null) throw new ApiError(422, `No commit found for SHA: ${ref}`);
    const range = { from: commit.parents[0] ?? emptyTree, to: commit.sha };
    const files = await renderFiles(request.core, repository, range);
    const sum = (name: string): number => files.reduce((total, file) => total + Number(file[name]), 0);
    const stats = { additions: sum('additions'), deletions: sum('deletions'), total: sum('changes') };
    return ok({ ...renderCommit(request.core, repository, commit), stats, files });
  }),
  route('GET', `${repo}/compare/{basehead}`, compare),
  route('POST', `${repo}/merges`, mergeBranches),
];

/** Returns the commit of a branch, a tag or an id, as the API shows it. Null: there is no such commit. */
export async function resolveShown(request: RestRequest, repository: Repository, name: string): Promise<string | null> {
  const branch = `refs/heads/${name.replace(/^(refs\/)?heads\//, '')}`;
  const shown = (await readShownRefs(request.core, repository, branch)).get(branch);
  return shown ?? (await request.core.git.resolve(repository, name));
}

/** Moves a ref, if the rules allow it and git finds the expected old value. Then emits an event. */
export async function moveByApi(request: RestRequest, repository: Repository, change: RefChange): Promise<void> {
  const { core, actor } = request;
  await core.git.runAlone(repository, async () => {
    const git = async (args: readonly string[], input = {}) => await core.git.run(repository, args, input);
    const [refusal] = await core.rules({ repository, actor, changes: [change], via: 'api', git });
    if (refusal !== undefined) throw new ApiError(refusal.api.status, refusal.api.message);
    const { from, to } = change;
    const isForced = from !== null && to !== null && !(await core.git.isAncestor(repository, from, to));
    try {
      await core.git.updateRefs(repository, [change]);
    } catch (error) {
      if (error instanceof GitError) throw new ApiError(422, 'Reference update failed');
      throw error;
    }
    if (/^refs\/(heads|tags)\//.test(change.ref)) {
      repository.pushedAt = core.now();
      core.emit({ name: 'push', repository, sender: accountOf(actor), change, isForced });
    }
  });
}

async function typeOf(request: RestRequest, repository: Repository, sha: string): Promise<string> {
  return await request.core.git.text(repository, ['cat-file', '-t', sha]);
}

async function compare(request: RestRequest) {
  const repository = reachRepository(request, read);
  const { core } = request;
  const [baseName = '', headName = ''] = (request.params['basehead'] ?? '').split(/\.{3}(.*)/s);
  const base = await resolveShown(request, repository, baseName);
  const head = await resolveShown(request, repository, headName.replace(/^[^:]+:/, ''));
  if (base === null || head === null) throw notFound();
  const fork = await core.git.textOfObjects(repository, ['merge-base', base, head]);
  if (fork === '') throw new ApiError(404, `No common ancestor between ${baseName} and ${headName}.`);
  const listed = await core.git.textOfObjects(repository, ['rev-list', '--reverse', `${base}..${head}`]);
  const ahead = listed.split('\n').filter(Boolean);
  const behind = Number(await core.git.textOfObjects(repository, ['rev-list', '--count', `${head}..${base}`]));
  const url = `${repositoryUrl(core, repository)}/compare/${baseName}...${headName}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/compare/${baseName}...${headName}`;
  const status =
    ahead.length > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : ('identical' as const);
  return ok({
    url,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: await showCommit(core, repository, base),
    merge_base_commit: await showCommit(core, repository, fork),
    status,
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    commits: await Promise.all(ahead.slice(0, 250).map(async (sha) => await showCommit(core, repository, sha))),
    files: await renderFiles(core, repository, { from: fork, to: head }),
  });
}

async function mergeBranches(request: RestRequest) {
  const repository = reachRepository(request, write);
  const { core, actor, body } = request;
  const ref = `refs/heads/${String(body['base'])}`;
  const base = await core.git.resolve(repository, ref);
  const head = await core.git.resolve(repository, String(body['head']));
  if (base === null) throw new ApiError(404, 'Base does not exist');
  if (head === null) throw new ApiError(404, 'Head does not exist');
  if (await core.git.isAncestor(repository, head, base)) return noContent;
  const tree = await mergeTrees(core, repository, { ours: base, theirs: head });
  if (tree === null) throw new ApiError(409, 'Merge conflict');
  const message = textOf(body, 'commit_message') ?? `Merge ${String(body['head'])} into ${String(body['base'])}`;
  const author = signatureOf(core, accountOf(actor));
  const sha = await makeCommit(core, repository, { tree, parents: [base, head], message, author });
  await moveByApi(request, repository, { ref, from: base, to: sha });
  return created(await showCommit(core, repository, sha));
}
