// Opens pull requests.
import { accountOf, type Actor, canSee } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { type ApiError, type FieldError, unprocessable } from '../http/errors.ts';
import { findAccount, fullNameOf } from '../http/reach.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { checkLength } from './conversations.ts';
import { fetchHead, refreshTestMerge } from './test-merge.ts';

export interface NewPull {
  readonly title: string;
  readonly body: string | null;
  /** `branch`, or `owner:branch`. */
  readonly head: string;
  /** The name of the fork, if the owner has several forks. */
  readonly headRepository?: string;
  readonly base: string;
  readonly isDraft: boolean;
  readonly maintainerCanModify: boolean;
}

export async function openPull(
  core: Core,
  actor: Actor,
  { repository, given }: { readonly repository: Repository; readonly given: NewPull },
): Promise<PullRequest> {
  const sender = accountOf(actor);
  const { git, state } = core;
  checkLength(given.title, { resource: 'PullRequest', field: 'title' });
  checkLength(given.body, { resource: 'PullRequest', field: 'body' });
  const [source, ref] = findHead(core, repository, given);
  const head = source === undefined ? null : await git.resolve(source, `refs/heads/${ref}`);
  const base = await git.resolve(repository, `refs/heads/${given.base}`);
  const faults: FieldError[] = [];
  if (base === null) faults.push({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (source === undefined || head === null || !canSee(core, actor, source))
    faults.push({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (source === undefined || head === null || base === null || faults.length > 0) throw unprocessable(...faults);
  if (given.isDraft && !repository.supportsDrafts)
    throw unprocessableMessage('Draft pull requests are not supported in this repository.');
  refuseSecond(core, repository, { sourceId: source.id, ref, base: given.base });
  const pull = insertPull(core, repository, {
    title: given.title,
    body: given.body,
    authorId: sender.id,
    isDraft: given.isDraft,
    base: { ref: given.base, sha: base },
    head: { ref, sha: head, repositoryId: source.id },
    maintainerCanModify: source.id !== repository.id && given.maintainerCanModify,
  });
  await fetchHead(core, repository, pull);
  if (await git.isAncestor(repository, head, base)) {
    state.pullRequests.remove(pull.id);
    repository.nextNumber -= 1;
    await git.run(repository, ['update-ref', '-d', `refs/pull/${pull.number}/head`]);
    throw unprocessableMessage(`No commits between ${given.base} and ${given.head}`);
  }
  await refreshTestMerge(core, repository, pull);
  core.emit({ name: 'pull_request', action: 'opened', repository, pull, sender });
  return pull;
}

type OpenedPull = Pick<
  PullRequest,
  'title' | 'body' | 'authorId' | 'isDraft' | 'base' | 'head' | 'maintainerCanModify'
>;

function insertPull(core: Core, repository: Repository, opened: OpenedPull): PullRequest {
  const at = core.now();
  const pull = core.state.pullRequests.insert({
    ...opened,
    repositoryId: repository.id,
    number: repository.nextNumber,
    state: 'open',
    isLocked: false,
    labelIds: [],
    assigneeIds: [],
    requestedReviewerIds: [],
    requestedTeamIds: [],
    closedAt: null,
    mergedAt: null,
    mergedById: null,
    mergeCommitSha: null,
    testMerge: null,
    createdAt: at,
    updatedAt: at,
  });
  repository.nextNumber += 1;
  return pull;
}

function unprocessableMessage(message: string): ApiError {
  return unprocessable({ resource: 'PullRequest', code: 'custom', message });
}

function findHead(core: Core, repository: Repository, given: NewPull): [Repository | undefined, string] {
  const [, login, ref = given.head] = /^([^:]+):(.+)$/.exec(given.head) ?? [];
  if (login === undefined) return [repository, ref];
  const owner = findAccount(core, login);
  if (owner?.id === repository.ownerId && given.headRepository === undefined) return [repository, ref];
  const family = repository.parentId ?? repository.id;
  const source = core.state.repositories.find(
    (each) =>
      each.ownerId === owner?.id &&
      (each.parentId === family || each.id === family) &&
      (given.headRepository === undefined || each.name === given.headRepository),
  );
  return [source, ref];
}

function refuseSecond(
  core: Core,
  repository: Repository,
  { sourceId, ref, base }: { sourceId: number; ref: string; base: string },
): void {
  const other = core.state.pullRequests.find(
    (each) =>
      each.repositoryId === repository.id &&
      each.state === 'open' &&
      each.head.repositoryId === sourceId &&
      each.head.ref === ref &&
      each.base.ref === base,
  );
  if (other === undefined) return;
  const owner = fullNameOf(core, core.state.repositories.must(sourceId)).split('/')[0];
  throw unprocessableMessage(`A pull request already exists for ${owner}:${ref}.`);
}
