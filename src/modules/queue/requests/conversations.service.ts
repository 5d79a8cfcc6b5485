// Handles requests of people about pull requests of Interlock's own code host: comments, review threads, labels and
// reviews.
import type { Context } from '../../../context.ts';
import { handleOf, unlinkedHandle } from '../../../domain/accounts/handle.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import {
  type CodeHost,
  hostClient,
  type HostComment,
  type HostCommit,
  HostRefused,
  type ReviewThread,
  conversationsOf,
  toHostedRepository,
  type HostedRepository,
} from '../../../hosts/port.ts';
import { withoutMarks } from '../../../platform/database.ts';
import { requireScope } from '../../accounts/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { loadFromHost, convertRefusal } from './host-requests.ts';
import { loadRepository } from '../../repositories/index.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import type { PullRequestRef } from './queue.service.ts';
import type { PullRequestAnswer } from './pull-request.changes.ts';

interface Conversation {
  readonly host: HostedRepository;
  readonly conversations: NonNullable<ReturnType<typeof conversationsOf>>;
  readonly pullRequestId: string;
  /** The handle of the person who makes the request. */
  readonly handle: string;
}

/** Throws BAD_INPUT if people use the repository's code host itself for reviews and comments. */
function requireConversations(
  ctx: Context,
  host: HostedRepository,
  row: PullRequestRow,
): Conversation['conversations'] {
  const conversations = conversationsOf(ctx, host);
  if (conversations === null)
    throw new DomainError(
      'BAD_INPUT',
      `${host.host === 'github' ? 'Do this on GitHub' : 'People do this at the code host'}: ${row.url}`,
    );
  return conversations;
}

async function joinConversation(ctx: Context, request: PullRequestRef): Promise<Conversation> {
  const { host, row } = await loadFromHost(ctx, request);
  const handle = handleOf(ctx.actor);
  return { host, conversations: requireConversations(ctx, host, row), pullRequestId: row.id, handle };
}

const longestBody = 65_536;

function requireText(body: string): void {
  if (body.trim() === '') throw new DomainError('BAD_INPUT', 'body must not be empty.', 'body');
  if (body.length > longestBody)
    throw new DomainError('BAD_INPUT', `body must be at most ${longestBody} characters long.`, 'body');
}

/** Adds a comment. Commands in the comment are carried out a moment later, with its author as actor. */
export async function addComment(
  ctx: Context,
  request: PullRequestRef & { readonly body: string },
): Promise<HostComment> {
  requireText(request.body);
  const { conversations, handle } = await joinConversation(ctx, request);
  return await convertRefusal(conversations.addComment(request.number, { author: handle, body: request.body }));
}

export async function openThread(
  ctx: Context,
  request: PullRequestRef & { readonly body: string },
): Promise<ReviewThread> {
  requireText(request.body);
  const { host, conversations, handle } = await joinConversation(ctx, request);
  const thread = await convertRefusal(conversations.openThread(request.number, { author: handle, body: request.body }));
  await syncPullRequest(ctx, host, request.number);
  return thread;
}

export async function resolveThread(
  ctx: Context,
  request: PullRequestRef & { readonly thread: string; readonly resolved: boolean },
): Promise<ReviewThread> {
  const { host, conversations, handle } = await joinConversation(ctx, request);
  const { thread, resolved } = request;
  const found = await convertRefusal(conversations.resolveThread(request.number, { thread, resolved, by: handle }));
  if (found === null) throw notFound('Review thread');
  await syncPullRequest(ctx, host, request.number);
  return found;
}

/** Adds or removes a label for a person, as a code host would. The trigger label queues the pull request. */
export async function labelPullRequest(
  ctx: Context,
  request: PullRequestRef & { readonly label: string; readonly present: boolean },
): Promise<PullRequestAnswer> {
  const label = request.label.trim();
  if (label === '' || label.length > 100)
    throw new DomainError('BAD_INPUT', 'label must be 1 to 100 characters long.', 'label');
  const { host, handle, pullRequestId } = await joinConversation(ctx, request);
  await convertRefusal(hostClient(ctx, host).setLabel(request.number, { label, present: request.present, by: handle }));
  await syncPullRequest(ctx, host, request.number);
  return { pullRequestId };
}

interface Shown {
  readonly repositoryId: string;
  readonly number: number;
}

export async function readComments(ctx: Context, shown: Shown): ReturnType<CodeHost['listComments']> {
  const host = await hostOf(ctx, shown);
  return await hostClient(ctx, host).listComments(shown.number);
}

export async function readThreads(ctx: Context, shown: Shown): Promise<readonly ReviewThread[]> {
  const host = await hostOf(ctx, shown);
  return await hostClient(ctx, host).listThreads(shown.number);
}

const maxCommits = 250;

interface ShownBranch extends Shown {
  readonly baseBranch: string;
  readonly headCommitSha: string;
  readonly mergeCommit: string | null;
}

/**
 * The commits of the head that the base branch does not contain, or did not contain before the merge. At most the
 * newest 250 of them, oldest first.
 */
export async function readCommitsOf(ctx: Context, shown: ShownBranch): Promise<readonly HostCommit[]> {
  const repository = await hostOf(ctx, shown);
  const client = hostClient(ctx, repository);
  if ((await client.readCommit(shown.headCommitSha)) === null) return [];
  const landed = shown.mergeCommit === null ? null : await client.readCommit(shown.mergeCommit);
  const base =
    landed === null
      ? (await client.readRef(`refs/heads/${shown.baseBranch}`))?.commit
      : (landed.parents[0] ?? landed.commit);
  const from = base === undefined ? [] : [base];
  return await client.listCommits({ from, to: shown.headCommitSha, limit: maxCommits });
}

async function hostOf(ctx: Context, { repositoryId }: Shown): Promise<HostedRepository> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.transaction(ctx.accountId, async (tx) =>
    toHostedRepository(await tx.em.findOneOrFail(RepositoryEntity, { accountId: ctx.accountId, id: repositoryId })),
  );
}

/**
 * Records a person's review of a pull request of the local host. At other hosts people use the host itself for reviews.
 */
export async function approvePullRequest(
  ctx: Context,
  request: PullRequestRef & { readonly verdict: 'approved' | 'changes_requested' },
): Promise<PullRequestAnswer> {
  requireScope(ctx, 'queue:write');
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  const host = toHostedRepository(repository);
  const row = await withoutMarks(async () => await syncPullRequest(ctx, host, request.number));
  if (row === null) throw notFound('Pull request');
  const { handle, email } = ctx.actor;
  const names = [handle, unlinkedHandle(ctx.actor), email];
  try {
    await requireConversations(ctx, host, row).reviewPullRequest(request.number, {
      reviewer: handleOf(ctx.actor),
      alsoKnownAs: names.filter((name) => name !== null),
      verdict: request.verdict,
    });
  } catch (error) {
    if (error instanceof HostRefused) throw new DomainError('BAD_INPUT', error.message);
    throw error;
  }
  await syncPullRequest(ctx, host, request.number);
  return { pullRequestId: row.id };
}
