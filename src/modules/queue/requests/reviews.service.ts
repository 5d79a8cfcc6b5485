// Reviews by people who have no other place to give them: on a local host, this is the review.
import type { Context } from '../../../context.ts';
import { handleOf, unlinkedHandle } from '../../../domain/accounts/handle.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { HostRefused } from '../../../hosts/port.ts';
import { requireScope } from '../../accounts/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { hosted } from '../store/hosted-repository.ts';
import type { PullRequestAnswer, PullRequestRef } from './queue.service.ts';

export async function approvePullRequest(
  ctx: Context,
  request: PullRequestRef & { readonly verdict: 'approved' | 'changes_requested' },
): Promise<PullRequestAnswer> {
  requireScope(ctx, 'queue:write');
  const repository = await loadRepository(ctx, request.repository);
  const host = hosted(repository);
  const row = await syncPullRequest(ctx, host, request.number);
  if (row === null) throw notFound('Pull request');
  const { handle, email } = ctx.actor;
  const names = [handle, unlinkedHandle(ctx.actor), email];
  try {
    await ctx.hosts(host.host).reviewPullRequest(host, request.number, {
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
