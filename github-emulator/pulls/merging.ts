// GitHub's own merges of a pull request into its base branch, and of the base branch into the head branch.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Actor } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { makeCommit, mergeTrees, serviceSignature, signatureOf } from '../git/commits.ts';
import { GitError, runGit } from '../git/run.ts';
import type { RefChange } from '../git/store.ts';
import { ApiError } from '../http/errors.ts';
import { fullNameOf } from '../http/reach.ts';
import type { Account, PullRequest, Repository } from '../model/types.ts';
import { markMerged } from './closing.ts';
import { editPull } from './editing.ts';

export type MergeMethod = 'merge' | 'squash' | 'rebase';

export interface Merge {
  readonly repository: Repository;
  readonly pull: PullRequest;
  readonly actor: Actor;
  readonly sender: Account;
  readonly method: MergeMethod;
  /** If the head is another commit, the merge is refused. Null: any head is merged. */
  readonly sha: string | null;
  readonly title: string | null;
  readonly message: string | null;
}

/** Merges a pull request, and returns the new tip of the base branch. */
export async function mergePull(core: Core, merge: Merge): Promise<string> {
  return await core.git.runAlone(merge.repository, async () => await mergeAlone(core, merge));
}

async function mergeAlone(core: Core, merge: Merge): Promise<string> {
  const { repository, pull, actor, sender } = merge;
  refuseMerge(merge);
  const ref = `refs/heads/${pull.base.ref}`;
  const base = await core.git.resolve(repository, ref);
  if (base === null) throw new ApiError(405, 'Base branch was deleted.');
  const commit = await composeMerge(core, merge, base);
  if (commit === null) throw new ApiError(405, 'Pull Request is not mergeable');
  const change: RefChange = { ref, from: base, to: commit };
  const git = async (args: readonly string[], input = {}) => await core.git.run(repository, args, input);
  const [refusal] = await core.rules({ repository, actor, changes: [change], via: 'merge', pull, git });
  if (refusal !== undefined) throw new ApiError(refusal.api.status, refusal.api.message);
  await moveRef(core, repository, change);
  markMerged(core, { repository, pull, sender }, commit);
  core.emit({ name: 'push', repository, sender, change, isForced: false });
  if (repository.deleteBranchOnMerge) await deleteHead(core, merge);
  core.state.save();
  return commit;
}

function refuseMerge({ repository, pull, method, sha }: Merge): void {
  if (pull.state === 'closed') throw new ApiError(405, 'Pull Request is not mergeable');
  if (pull.isDraft) throw new ApiError(405, 'Pull Request is still a draft');
  const isAllowed = {
    merge: repository.allowMergeCommit,
    squash: repository.allowSquashMerge,
    rebase: repository.allowRebaseMerge,
  };
  const names = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' };
  if (!isAllowed[method]) throw new ApiError(405, `${names[method]} are not allowed on this repository.`);
  if (sha !== null && sha !== pull.head.sha)
    throw new ApiError(409, 'Head branch was modified. Review and try the merge again.');
}

async function composeMerge(core: Core, merge: Merge, base: string): Promise<string | null> {
  const { repository, pull, sender, method, title, message } = merge;
  if (method === 'rebase') return await rebase(core, repository, { head: pull.head.sha, onto: base });
  const tree = await mergeTrees(core, repository, { ours: base, theirs: pull.head.sha });
  if (tree === null) return null;
  const isSquash = method === 'squash';
  const source = core.state.repositories.get(pull.head.repositoryId);
  const owner = source === undefined ? 'unknown' : fullNameOf(core, source).split('/')[0];
  const usual = isSquash
    ? { title: `${pull.title} (#${pull.number})`, message: '' }
    : { title: `Merge pull request #${pull.number} from ${owner}/${pull.head.ref}`, message: pull.title };
  const text = [title ?? usual.title, message ?? usual.message].filter((part) => part !== '').join('\n\n');
  const author = signatureOf(core, isSquash ? core.state.accounts.must(pull.authorId) : sender);
  const parents = isSquash ? [base] : [base, pull.head.sha];
  return await makeCommit(core, repository, { tree, parents, message: text, author });
}

/** Rebases a head. Like GitHub, it makes new commits even if the head is up to date. Null: a commit conflicts. */
async function rebase(
  core: Core,
  repository: Repository,
  { head, onto }: { readonly head: string; readonly onto: string },
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'rebase-'));
  const env = { GIT_COMMITTER_NAME: serviceSignature.name, GIT_COMMITTER_EMAIL: serviceSignature.email };
  try {
    await runGit(folder, ['clone', '--quiet', '--shared', '--no-checkout', core.git.directoryOf(repository), 'work']);
    const work = join(folder, 'work');
    await runGit(work, ['checkout', '--quiet', '--detach', head]);
    const { exitCode } = await runGit(work, ['rebase', '--quiet', '--force-rebase', onto], {
      env,
      accept: [0, 1, 128],
    });
    if (exitCode !== 0) return null;
    const commit = (await runGit(work, ['rev-parse', 'HEAD'])).stdout.toString('utf8').trim();
    await core.git.run(repository, ['fetch', '--quiet', '--no-tags', work, commit]);
    return commit;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Deletes the head branch of a merged pull request. Other pull requests with this branch as their base get the base
 * branch of the merged pull request.
 */
async function deleteHead(core: Core, { repository, pull, sender }: Merge): Promise<void> {
  const source = core.state.repositories.get(pull.head.repositoryId);
  if (source === undefined || source.id !== repository.id || pull.head.ref === repository.defaultBranch) return;
  const ref = `refs/heads/${pull.head.ref}`;
  const from = await core.git.resolve(source, ref);
  if (from !== pull.head.sha) return;
  const based = core.state.pullRequests.filter(
    (each) => each.repositoryId === repository.id && each.state === 'open' && each.base.ref === pull.head.ref,
  );
  for (const each of based) await editPull(core, { repository, pull: each, sender }, { base: pull.base.ref });
  const change: RefChange = { ref, from, to: null };
  await moveRef(core, source, change);
  core.emit({ name: 'push', repository: source, sender, change, isForced: false });
}

/**
 * Merges the base branch into the head branch, and returns the new head. Null: the head contains the base branch
 * already.
 */
export async function updateBranch(
  core: Core,
  { repository, pull, sender }: Pick<Merge, 'repository' | 'pull' | 'sender'>,
): Promise<string | null> {
  const source = core.state.repositories.get(pull.head.repositoryId);
  if (source === undefined) throw new ApiError(422, 'The head repository was deleted.');
  return await core.git.runAlone(source, async () => {
    const base = await core.git.resolve(repository, `refs/heads/${pull.base.ref}`);
    if (base === null || (await core.git.isAncestor(repository, base, pull.head.sha))) return null;
    const tree = await mergeTrees(core, repository, { ours: pull.head.sha, theirs: base });
    if (tree === null) throw new ApiError(422, 'merge conflict between base and head');
    const message = `Merge branch '${pull.base.ref}' into ${pull.head.ref}`;
    const author = signatureOf(core, sender);
    const commit = await makeCommit(core, repository, { tree, parents: [pull.head.sha, base], message, author });
    if (source.id !== repository.id)
      await core.git.run(source, ['fetch', '--quiet', '--no-tags', core.git.directoryOf(repository), commit]);
    const change: RefChange = { ref: `refs/heads/${pull.head.ref}`, from: pull.head.sha, to: commit };
    await moveRef(core, source, change);
    core.emit({ name: 'push', repository: source, sender, change, isForced: false });
    return commit;
  });
}

async function moveRef(core: Core, repository: Repository, change: RefChange): Promise<void> {
  try {
    await core.git.updateRefs(repository, [change]);
  } catch (error) {
    if (error instanceof GitError) throw new ApiError(405, 'Base branch was modified. Review and try the merge again.');
    throw error;
  }
}
