// Closes pull requests, marks them as merged, and reopens them.
import type { Core } from '../core.ts';
import { unprocessable } from '../http/errors.ts';
import type { Account, PullRequest, Repository } from '../model/types.ts';
import { fetchHead, refreshTestMerge } from './test-merge.ts';
import { note } from './timeline.ts';

interface By {
  readonly repository: Repository;
  readonly pull: PullRequest;
  readonly sender: Account;
}

export function closePull(core: Core, { repository, pull, sender }: By, details: { commitId?: string } = {}): void {
  if (pull.state === 'closed') return;
  const at = core.now();
  Object.assign(pull, { state: 'closed', closedAt: at, updatedAt: at });
  note(core, pull, { event: 'closed', actorId: sender.id, commitId: details.commitId ?? null });
  core.emit({ name: 'pull_request', action: 'closed', repository, pull, sender });
}

/** Marks a pull request as merged. `commit` is the commit of the base branch that merged the head. */
export function markMerged(core: Core, { repository, pull, sender }: By, commit: string): void {
  const at = core.now();
  Object.assign(pull, {
    state: 'closed',
    closedAt: at,
    updatedAt: at,
    mergedAt: at,
    mergedById: sender.id,
    mergeCommitSha: commit,
  });
  note(core, pull, { event: 'merged', actorId: sender.id, commitId: commit });
  note(core, pull, { event: 'closed', actorId: sender.id });
  core.emit({ name: 'pull_request', action: 'closed', repository, pull, sender });
}

export async function reopenPull(core: Core, { repository, pull, sender }: By): Promise<void> {
  if (pull.state === 'open') return;
  const cannot = (message: string): Error =>
    unprocessable({ resource: 'PullRequest', field: 'state', code: 'custom', message });
  if (pull.mergedAt !== null) throw cannot('Cannot reopen a merged pull request.');
  const { git, state } = core;
  const source = state.repositories.get(pull.head.repositoryId);
  const tip = source === undefined ? null : await git.resolve(source, `refs/heads/${pull.head.ref}`);
  if (tip === null) throw cannot(`state cannot be changed. The ${pull.head.ref} branch has been deleted.`);
  const base = await git.resolve(repository, `refs/heads/${pull.base.ref}`);
  if (base === null) throw cannot(`state cannot be changed. The ${pull.base.ref} branch has been deleted.`);
  if (source !== undefined && !(await git.isAncestor(source, pull.head.sha, tip)))
    throw cannot(`state cannot be changed. The ${pull.head.ref} branch was force-pushed or recreated.`);
  if (await git.isAncestor(repository, tip, base))
    throw cannot(`state cannot be changed. There are no new commits on the ${pull.head.ref} branch.`);
  Object.assign(pull, { state: 'open', closedAt: null, updatedAt: core.now(), head: { ...pull.head, sha: tip } });
  await fetchHead(core, repository, pull);
  await refreshTestMerge(core, repository, pull);
  note(core, pull, { event: 'reopened', actorId: sender.id });
  core.emit({ name: 'pull_request', action: 'reopened', repository, pull, sender });
}
