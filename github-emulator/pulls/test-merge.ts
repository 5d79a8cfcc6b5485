// Updates `refs/pull/<n>/head`, and GitHub's test merge at `refs/pull/<n>/merge`. The test merge is made when the head
// moves and when a client reads the pull request, so its first parent may be older than the base branch.
import type { Core } from '../core.ts';
import { makeCommit, mergeTrees } from '../git/commits.ts';
import type { PullRequest, Repository } from '../model/types.ts';

/** Fetches the head's commits from the fork, and sets `refs/pull/<n>/head` to the head. */
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
  const tree = await mergeTrees(core, repository, { ours: base, theirs: head });
  const message = `Merge ${head} into ${base}`;
  const commit =
    tree === null ? null : await makeCommit(core, repository, { tree, parents: [base, head], message, author: null });
  pull.testMerge = { head, base, commit };
  const ref = `refs/pull/${pull.number}/merge`;
  await core.git.run(repository, commit === null ? ['update-ref', '-d', ref] : ['update-ref', ref, commit]);
  core.state.save();
}
