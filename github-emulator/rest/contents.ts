// Branches and files of a commit by REST.
import { accountOf, type Need } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { ApiError, notFound } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { fullNameOf, reachRepository } from '../http/reach.ts';
import { ok, type RestRequest, type RestRoute, route, textOf } from '../http/route.ts';
import type { Repository } from '../model/types.ts';
import { makeCommit, signatureOf } from '../git/commits.ts';
import { renderGitCommit } from '../render/commits.ts';
import { repositoryUrl } from '../render/repositories.ts';
import { moveByApi, resolveShown } from './git.ts';
import { showCommit } from './pulls.ts';
import { readShownRefs } from '../git/shown-refs.ts';

const repo = '/repos/{owner}/{repo}';
const read: Need = { permission: 'contents', level: 'read' };

export const contentRoutes: readonly RestRoute[] = [
  route('GET', `${repo}/branches`, async (request) => {
    const repository = reachRepository(request, read);
    const refs = [...(await readShownRefs(request.core, repository, 'refs/heads/'))];
    return await answerPage(request, refs, ([ref, sha]) => {
      const name = ref.slice('refs/heads/'.length);
      const commit = { sha, url: `${repositoryUrl(request.core, repository)}/commits/${sha}` };
      return { name, commit, protected: isProtected(request.core, repository, name) };
    });
  }),
  route('GET', `${repo}/branches/{branch}`, async (request) => {
    const repository = reachRepository(request, read);
    const name = request.params['branch'] ?? '';
    const sha = (await readShownRefs(request.core, repository, `refs/heads/${name}`)).get(`refs/heads/${name}`);
    if (sha === undefined) throw new ApiError(404, 'Branch not found');
    const url = `${repositoryUrl(request.core, repository)}/branches/${name}`;
    const page = `${request.core.urls.web}/${fullNameOf(request.core, repository)}/tree/${name}`;
    return ok({
      name,
      commit: await showCommit(request.core, repository, sha),
      _links: { self: url, html: page },
      protected: isProtected(request.core, repository, name),
      protection: { enabled: isProtected(request.core, repository, name) },
      protection_url: `${url}/protection`,
    });
  }),
  route('GET', `${repo}/contents/{path}`, readContent),
  route('PUT', `${repo}/contents/{path}`, writeContent),
];

/** Whether a protection has exactly the name of the branch. Patterns with wildcards are ignored here. */
function isProtected(core: Core, repository: Repository, branch: string): boolean {
  return (
    core.state.protections.find((each) => each.repositoryId === repository.id && each.pattern === branch) !== undefined
  );
}

async function readContent(request: RestRequest) {
  const repository = reachRepository(request, read);
  const path = request.params['path'] ?? '';
  const at = await resolveShown(request, repository, request.query['ref'] ?? repository.defaultBranch);
  if (at === null) throw notFound();
  const file = await renderFile(request, repository, { commit: at, path });
  if (file === null) throw notFound();
  if (String(request.headers['accept'] ?? '').includes('raw')) {
    const { stdout } = await request.core.git.run(repository, ['cat-file', 'blob', String(file['sha'])]);
    return { status: 200, body: stdout.toString('utf8'), headers: { 'content-type': 'application/vnd.github.raw' } };
  }
  return ok(file);
}

async function renderFile(
  { core }: RestRequest,
  repository: Repository,
  { commit, path }: { commit: string; path: string },
): Promise<Record<string, unknown> | null> {
  const line = await core.git.text(repository, ['ls-tree', commit, '--', path]);
  const [, type, sha = ''] = /^\d+ (\w+) ([0-9a-f]{40})\t/.exec(line) ?? [];
  if (type !== 'blob') return null;
  const { stdout } = await core.git.run(repository, ['cat-file', 'blob', sha]);
  const url = `${repositoryUrl(core, repository)}/contents/${encodeURI(path)}?ref=${commit}`;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/blob/${commit}/${encodeURI(path)}`;
  const gitUrl = `${repositoryUrl(core, repository)}/git/blobs/${sha}`;
  return {
    name: path.split('/').at(-1),
    path,
    sha,
    size: stdout.length,
    url,
    html_url: page,
    git_url: gitUrl,
    download_url: page.replace('/blob/', '/raw/'),
    type: 'file',
    content: stdout.toString('base64'),
    encoding: 'base64',
    _links: { self: url, git: gitUrl, html: page },
  };
}

async function writeContent(request: RestRequest) {
  const repository = reachRepository(request, { permission: 'contents', level: 'write' });
  const { core, actor, body } = request;
  const path = request.params['path'] ?? '';
  const branch = textOf(body, 'branch') ?? repository.defaultBranch;
  const ref = `refs/heads/${branch}`;
  const from = await core.git.resolve(repository, ref);
  const before = from === null ? null : await renderFile(request, repository, { commit: from, path });
  if (before !== null && before['sha'] !== body['sha'])
    throw body['sha'] === undefined
      ? new ApiError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
      : new ApiError(409, `${path} does not match ${textOf(body, 'sha')}`);
  const blob = await core.git.text(repository, ['hash-object', '-w', '--stdin'], {
    stdin: Buffer.from(String(body['content']), 'base64'),
  });
  const tree = await treeWith(core, repository, { from, path, blob });
  const author = signatureOf(core, accountOf(actor));
  const parents = from === null ? [] : [from];
  const sha = await makeCommit(core, repository, { tree, parents, message: String(body['message']), author });
  await moveByApi(request, repository, { ref, from, to: sha });
  const commit = await core.git.readCommit(repository, sha);
  const content = await renderFile(request, repository, { commit: sha, path });
  const shown = commit === null ? null : renderGitCommit(core, repository, commit);
  return { status: before === null ? 201 : 200, body: { content, commit: shown } };
}

async function treeWith(
  core: Core,
  repository: Repository,
  { from, path, blob }: { from: string | null; path: string; blob: string },
): Promise<string> {
  const env = { GIT_INDEX_FILE: `${core.git.directoryOf(repository)}/index-${core.state.nextId()}` };
  if (from !== null) await core.git.run(repository, ['read-tree', from], { env });
  await core.git.run(repository, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
  return await core.git.text(repository, ['write-tree'], { env });
}
