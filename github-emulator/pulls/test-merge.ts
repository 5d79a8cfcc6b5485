// `refs/pull/<n>/head` and GitHub's test merge at `refs/pull/<n>/merge`. The merge is made when the head moves and when
// somebody reads the pull request, so that it may rest on an older base.
import type { Core } from '../core.ts';
import type { Account, PullRequest, Repository } from '../model/types.ts';

export const serviceSignature = { name: 'GitHub', email: 'noreply@github.com' } as const;

/** Brings the head's commits from the fork, and points `refs/pull/<n>/head` to them. */
export async function fetchHead(core: Core, repository: Repository, pull: PullRequest): Promise<void> {
  const fork = core.state.repositories.get(pull.head.repositoryId);
  if (fork !== undefined && fork.id !== repository.id)
    await core.git.run(repository, ['fetch', '--quiet', '--no-tags', core.git.directoryOf(fork), pull.head.sha]);
  await core.git.run(repository, ['update-ref', `refs/pull/${pull.number}/head`, pull.head.sha]);
}

export async function refreshTestMerge(core: Core, repository: Repository, pull: PullRequest): Promise<void> {
  if (pull.state === 'closed') return;
  const base = await core.git.resolve(repository, `refs/heads/${pull.base.ref}`);
  const head = pull.head.sha;
  if (base === null || (pull.testMerge?.head === head && pull.testMerge.base === base)) return;
  const tree = await mergeTrees(core, repository, base, head);
  const message = `Merge ${head} into ${base}`;
  const commit =
    tree === null ? null : await makeCommit(core, repository, { tree, parents: [base, head], message, author: null });
  pull.testMerge = { head, base, commit };
  const ref = `refs/pull/${pull.number}/merge`;
  await core.git.run(repository, commit === null ? ['update-ref', '-d', ref] : ['update-ref', ref, commit]);
  core.state.save();
}

/** The tree of a merge. Null: the two conflict. */
export async function mergeTrees(
  core: Core,
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<string | null> {
  const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs];
  const { exitCode, stdout } = await core.git.run(repository, args, { accept: [0, 1] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : null;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Null: GitHub itself. */
  readonly author: { readonly name: string; readonly email: string } | null;
}

export async function makeCommit(core: Core, repository: Repository, given: NewCommit): Promise<string> {
  const author = given.author ?? serviceSignature;
  const date = `${Math.floor(core.clock() / 1000)} +0000`;
  const parents = given.parents.flatMap((parent) => ['-p', parent]);
  return await core.git.text(repository, ['commit-tree', given.tree, ...parents], {
    stdin: `${given.message}\n`,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: serviceSignature.name,
      GIT_COMMITTER_EMAIL: serviceSignature.email,
      GIT_COMMITTER_DATE: date,
    },
  });
}

export function signatureOf(core: Core, account: Account): { name: string; email: string } {
  const host = new URL(core.urls.web).hostname;
  return {
    name: account.name ?? account.login,
    email: account.email ?? `${account.id}+${account.login}@users.noreply.${host}`,
  };
}
