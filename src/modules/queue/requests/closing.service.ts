// Pull requests of the local host are closed and reopened here: it has no other place for that.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { recordUserAction } from '../../accounts/index.ts';
import { requireActive } from '../../repositories/index.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import { isLandingBegun } from '../store/begun-landings.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import { loadFromHost, refusedAsBadInput } from './host-requests.ts';
import type { PullRequestAnswer, PullRequestRef } from './queue.service.ts';

/**
 * It leaves the queue and its batch, and its preview ends. Closing a closed one changes nothing. Throws CONFLICT for a
 * merged one, LANDING_IN_PROGRESS for one that is being landed.
 */
export async function closePullRequest(ctx: Context, request: PullRequestRef): Promise<PullRequestAnswer> {
  const { host, row } = await loadFromHost(ctx, request);
  if (row.status === 'merged') throw new DomainError('CONFLICT', 'The pull request is merged; it cannot be closed.');
  if (row.status === 'closed') return { pullRequestId: row.id };
  if (await ctx.db.transaction(ctx.accountId, async (tx) => await isLandingBegun(ctx, tx, row.id)))
    throw new DomainError('LANDING_IN_PROGRESS', 'The pull request is being landed; it can no longer be closed.');
  await ctx.hosts(host.host).closePullRequest(host, request.number);
  return await conclude(ctx, host, { request, row, action: 'pull_request_closed' });
}

/**
 * Reopening an open one changes nothing. It is in no queue until it is asked for again. Throws CONFLICT for a merged one,
 * BAD_INPUT in a repository that is not active.
 */
export async function reopenPullRequest(ctx: Context, request: PullRequestRef): Promise<PullRequestAnswer> {
  const { repository, host, row } = await loadFromHost(ctx, request);
  requireActive(repository);
  if (row.status === 'merged') throw new DomainError('CONFLICT', 'The pull request is merged; it cannot be reopened.');
  if (row.status !== 'closed') return { pullRequestId: row.id };
  await refusedAsBadInput(ctx.hosts(host.host).reopenPullRequest(host, request.number));
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
