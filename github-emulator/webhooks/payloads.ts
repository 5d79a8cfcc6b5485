// The fields of webhook payloads that are specific to an event. `envelope` makes the fields that every webhook has.
import type { Core } from '../core.ts';
import { zeroId } from '../git/store.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Account, Installation, Repository } from '../model/types.ts';
import type { Part } from '../part.ts';
import { threadsOf } from '../pulls/conversations.ts';
import { type Json, renderAccount, renderInstallation, renderOrganization } from '../render/accounts.ts';
import { renderPushedCommits } from '../render/commits.ts';
import {
  renderComment,
  renderFullPull,
  renderIssue,
  renderPull,
  renderReview,
  renderReviewComment,
} from '../render/pulls.ts';
import { renderRepository } from '../render/repositories.ts';
import { createCheckPayloads } from './check-payloads.ts';
import type { HostEvent } from './events.ts';

type Payloads = NonNullable<Part['payloads']>;

export function createPayloads(core: Core): Payloads {
  return {
    ...createCheckPayloads(core),
    push: async (event) => await renderPush(core, event),
    pull_request: async ({ repository, pull, details }) => ({
      number: pull.number,
      pull_request: await renderFullPull(core, repository, pull),
      ...details,
    }),
    pull_request_review: ({ repository, pull, review }) => ({
      pull_request: renderPull(core, repository, pull),
      review: { ...renderReview(core, repository, review), state: review.state.toLowerCase() },
    }),
    pull_request_review_thread: ({ repository, pull, thread }) => ({
      pull_request: renderPull(core, repository, pull),
      thread: {
        node_id: nodeIdOf('reviewThreads', thread.id),
        comments: core.state.reviewComments
          .filter((each) => each.threadId === threadsOf(core, pull).find(({ id }) => id === thread.id)?.id)
          .map((each) => renderReviewComment(core, repository, each)),
      },
    }),
    issue_comment: ({ repository, pull, comment, details }) => ({
      issue: renderIssue(core, repository, pull),
      comment: renderComment(core, repository, comment),
      ...details,
    }),
    repository: ({ changes, formerOwner }) => {
      if (formerOwner !== undefined) return { changes: { owner: { from: renderFormerOwner(core, formerOwner) } } };
      return changes === undefined ? {} : { changes };
    },
    installation: ({ installation }) => ({
      installation: renderInstallation(core, installation),
      repositories: selectedRepositories(core, installation).map((each) => renderBriefly(core, each)),
    }),
    installation_repositories: ({ action, installation, changed }) => ({
      installation: renderInstallation(core, installation),
      repository_selection: installation.repositorySelection,
      repositories_added: action === 'added' ? changed.map((each) => renderBriefly(core, each)) : [],
      repositories_removed: action === 'removed' ? changed.map((each) => renderBriefly(core, each)) : [],
      requester: null,
    }),
  };
}

/** The fields that every webhook has. */
export function envelope(core: Core, event: HostEvent, installation: Installation): Json {
  const action = 'action' in event ? { action: event.action } : {};
  const sender = renderAccount(core, event.sender);
  if (!('repository' in event)) return { ...action, sender };
  const { repository } = event;
  const owner = core.state.accounts.must(repository.ownerId);
  const shown = renderRepository(core, repository);
  return {
    ...action,
    // Only the payload of a push has these two instants in seconds.
    repository: event.name === 'push' ? { ...shown, ...pushedTimes(repository) } : shown,
    ...(owner.type === 'Organization' ? { organization: renderOrganization(core, owner) } : {}),
    sender,
    installation: { id: installation.id, node_id: nodeIdOf('apps', installation.id) },
  };
}

function pushedTimes(repository: Repository): Json {
  const seconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000);
  return { created_at: seconds(repository.createdAt), pushed_at: seconds(repository.pushedAt) };
}

const maxCommits = 2048;
const maxCommitsOfNewBranch = 20;

async function renderPush(core: Core, event: HostEvent & { name: 'push' }): Promise<Json> {
  const { repository, change, sender, isForced } = event;
  const { from, to, ref } = change;
  const page = `${core.urls.web}/${fullNameOf(core, repository)}`;
  const commits = to === null ? [] : await renderPushedCommits(core, repository, pushedRange(from, to));
  const [head = null] = to === null ? [] : await renderPushedCommits(core, repository, ['--max-count=1', to]);
  return {
    ref,
    before: from ?? zeroId,
    after: to ?? zeroId,
    created: from === null,
    deleted: to === null,
    forced: isForced,
    base_ref: null,
    compare: `${page}/compare/${from ?? zeroId}...${to ?? zeroId}`,
    commits,
    head_commit: head,
    pusher: { name: sender.login, email: sender.email },
  };
}

/**
 * The range of commits in the payload of a push. For a new branch these are the newest commits, including commits that
 * other branches have.
 */
function pushedRange(from: string | null, to: string): string[] {
  return from === null ? [`--max-count=${maxCommitsOfNewBranch}`, to] : [`--max-count=${maxCommits}`, `${from}..${to}`];
}

function selectedRepositories(core: Core, installation: Installation): Repository[] {
  return core.state.repositories.filter(
    (each) =>
      each.ownerId === installation.accountId &&
      (installation.repositorySelection === 'all' || installation.repositoryIds.includes(each.id)),
  );
}

function renderFormerOwner(core: Core, owner: Account): Json {
  return owner.type === 'Organization'
    ? { organization: renderOrganization(core, owner) }
    : { user: renderAccount(core, owner) };
}

function renderBriefly(core: Core, repository: Repository): Json {
  return {
    id: repository.id,
    node_id: nodeIdOf('repositories', repository.id),
    name: repository.name,
    full_name: fullNameOf(core, repository),
    private: repository.isPrivate,
  };
}
