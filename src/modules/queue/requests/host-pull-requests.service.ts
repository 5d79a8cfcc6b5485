// Opens, closes and reopens pull requests of the local host, because the local host has no interface of its own.
import type { Context } from '../../../context.ts';
import { isBranchName } from '../../../domain/branch-name.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { recordUserAction, requireScope } from '../../accounts/index.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { isLandingStarted } from '../store/intents.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { loadFromHost, convertRefusal } from './host-requests.ts';
import { handleOf } from '../../../domain/accounts/handle.ts';
import { hostClient, type HostedRepository, toHostedRepository } from '../../../hosts/port.ts';
import { loadActiveRepository, requireActive } from '../../repositories/index.ts';
import { syncBase } from '../facts/base-branches.ts';
import type { PullRequestRef, RepositoryRef } from './queue.service.ts';
import type { PullRequestAnswer } from './pull-request.changes.ts';

/**
 * Closes a pull request. The pull request leaves the queue and its batch, and its preview ends. If it is closed
 * already, nothing is changed. Throws CONFLICT for a merged pull request, and LANDING_IN_PROGRESS during its landing.
 */
export async function closePullRequest(ctx: Context, request: PullRequestRef): Promise<PullRequestAnswer> {
  const { host, row } = await loadFromHost(ctx, request);
  if (row.status === 'merged') throw new DomainError('CONFLICT', 'The pull request is merged; it cannot be closed.');
  if (row.status === 'closed') return { pullRequestId: row.id };
  if (await ctx.db.transaction(ctx.accountId, async (tx) => await isLandingStarted(ctx, tx, row.id)))
    throw new DomainError('LANDING_IN_PROGRESS', 'The pull request is being landed; it can no longer be closed.');
  await hostClient(ctx, host).closePullRequest(request.number);
  return await conclude(ctx, host, { request, row, action: 'pull_request_closed' });
}

/**
 * Reopens a closed pull request. It is not queued again. If it is open already, nothing is changed. Throws CONFLICT for
 * a merged pull request, and BAD_INPUT if the repository is inactive.
 */
export async function reopenPullRequest(ctx: Context, request: PullRequestRef): Promise<PullRequestAnswer> {
  const { repository, host, row } = await loadFromHost(ctx, request);
  requireActive(repository);
  if (row.status === 'merged') throw new DomainError('CONFLICT', 'The pull request is merged; it cannot be reopened.');
  if (row.status !== 'closed') return { pullRequestId: row.id };
  await convertRefusal(hostClient(ctx, host).reopenPullRequest(request.number));
  return await conclude(ctx, host, { request, row, action: 'pull_request_reopened' });
}

async function conclude(
  ctx: Context,
  host: HostedRepository,
  done: {
    readonly request: PullRequestRef;
    readonly row: PullRequestRow;
    readonly action: 'pull_request_closed' | 'pull_request_reopened';
  },
): Promise<PullRequestAnswer> {
  const { request, row, action } = done;
  await syncPullRequest(ctx, host, request.number);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { owner, name } = request.repository;
    await recordUserAction(ctx, tx, { action, target: `${owner}/${name}#${request.number}` });
  });
  return { pullRequestId: row.id };
}

export interface OpenRequest {
  readonly repository: RepositoryRef;
  readonly title: string;
  readonly body?: string | null;
  readonly headBranch: string;
  readonly baseBranch?: string | null;
  readonly draft?: boolean | null;
}

/** Opens a pull request at the host, and returns its row. */
export async function openPullRequest(ctx: Context, request: OpenRequest): Promise<PullRequestAnswer> {
  requireScope(ctx, 'queue:write');
  for (const field of ['headBranch', 'baseBranch'] as const)
    if (typeof request[field] === 'string' && !isBranchName(request[field]))
      throw new DomainError('BAD_INPUT', `input.${field} must be a branch name`, `input.${field}`);
  const repository = await loadActiveRepository(ctx, request.repository, 'queue:write');
  const host = toHostedRepository(repository);
  const opened = await convertRefusal(
    hostClient(ctx, host).openPullRequest({
      title: request.title,
      body: request.body ?? '',
      author: handleOf(ctx.actor),
      headBranch: request.headBranch,
      baseBranch: request.baseBranch ?? repository.defaultBranch,
      draft: request.draft ?? false,
    }),
  );
  await syncBase(ctx, host, opened.baseBranch);
  const row = await syncPullRequest(ctx, host, opened.number);
  if (row === null) throw notFound('Pull request');
  return { pullRequestId: row.id };
}
