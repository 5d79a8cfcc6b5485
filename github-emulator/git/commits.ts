// Makes commits in the name of GitHub.
import type { Core } from '../core.ts';
import type { Account, Repository } from '../model/types.ts';

export const serviceSignature = { name: 'GitHub', email: 'noreply@github.com' } as const;

/** The id of the empty tree, which every version of git has built in. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Merges two commits, and returns the tree. Null: the commits conflict. */
export async function mergeTrees(
  core: Core,
  repository: Repository,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<string | null> {
  const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs];
  const { exitCode, stdout } = await core.git.run(repository, args, { accept: [0, 1] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : null;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Null: the author is GitHub itself. */
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
