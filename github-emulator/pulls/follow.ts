// Updates pull requests after a push to their head branch or base branch. The push may have created or deleted the
// branch, and a base branch may contain the head now.
import type { Core } from '../core.ts';
import type { RefChange } from '../git/store.ts';
import type { Account, PullRequest, Repository } from '../model/types.ts';
import { closePull, markMerged } from './closing.ts';
import { fetchHead, refreshTestMerge } from './test-merge.ts';
import { isAbout, note } from './timeline.ts';

export interface Push {
  readonly repository: Repository;
  readonly sender: Account;
  readonly change: RefChange;
  readonly isForced: boolean;
}

export async function followPush(core: Core, push: Push): Promise<void> {
  const branch = /^refs\/heads\/(.+)$/.exec(push.change.ref)?.[1];
  if (branch === undefined) return;
  const open = core.state.pullRequests.filter(({ state }) => state === 'open');
  for (const pull of open.filter(({ head }) => head.repositoryId === push.repository.id && head.ref === branch))
    await followHead(core, pull, push);
  const onBranch = open.filter(({ base, repositoryId }) => repositoryId === push.repository.id && base.ref === branch);
  await followBase(core, onBranch, push);
  core.state.save();
}

async function followHead(core: Core, pull: PullRequest, { change, sender, isForced }: Push): Promise<void> {
  const repository = core.state.repositories.must(pull.repositoryId);
  const { to } = change;
  if (to === null) {
    closePull(core, { repository, pull, sender });
    note(core, pull, { event: 'head_ref_deleted', actorId: sender.id });
    return;
  }
  const before = pull.head.sha;
  if (before === to) return;
  const base = await core.git.resolve(repository, `refs/heads/${pull.base.ref}`);
  pull.head = { ...pull.head, sha: to };
  pull.base = { ...pull.base, sha: base ?? pull.base.sha };
  pull.updatedAt = core.now();
  await fetchHead(core, repository, pull);
  if (isForced) note(core, pull, { event: 'head_ref_force_pushed', actorId: sender.id, commitId: to });
  for (const thread of core.state.reviewThreads.filter(isAbout(pull))) thread.isOutdated = true;
  // The base branch contains the head, so nothing is left to merge. GitHub closes the pull request and does not show it
  // as merged.
  if (base !== null && (await core.git.isAncestor(repository, to, base))) {
    closePull(core, { repository, pull, sender });
    return;
  }
  await refreshTestMerge(core, repository, pull);
  const details = { before, after: to };
  core.emit({ name: 'pull_request', action: 'synchronize', repository, pull, sender, details });
}

/**
 * Marks pull requests as merged whose heads the base branch contains now. One git command checks all heads, because a
 * base branch may have hundreds of pull requests.
 */
async function followBase(core: Core, pulls: readonly PullRequest[], push: Push): Promise<void> {
  const { repository, change, sender } = push;
  const open = pulls.filter(({ state }) => state === 'open');
  const { to } = change;
  if (to === null) for (const pull of open) closePull(core, { repository, pull, sender });
  if (to === null || open.length === 0) return;
  const stdin = [...open.map(({ head }) => head.sha), `^${to}`].map((line) => `${line}\n`).join('');
  const unmerged = new Set((await core.git.text(repository, ['rev-list', '--stdin'], { stdin })).split('\n'));
  for (const pull of open) if (!unmerged.has(pull.head.sha)) await noteMerge(core, pull, { ...push, to });
}

async function noteMerge(
  core: Core,
  pull: PullRequest,
  { repository, sender, to }: Push & { readonly to: string },
): Promise<void> {
  const args = ['rev-list', '--first-parent', '--ancestry-path', `${pull.head.sha}..${to}`];
  const line = (await core.git.text(repository, args)).split('\n').filter(Boolean);
  const firstParents = await core.git.text(repository, ['rev-list', '--first-parent', '--max-count=5000', to]);
  const isOnLine = firstParents.includes(pull.head.sha);
  markMerged(core, { repository, pull, sender }, isOnLine ? pull.head.sha : (line.at(-1) ?? pull.head.sha));
}
