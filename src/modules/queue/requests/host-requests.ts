// Reads the pull request of a request from its code host, and converts the host's refusals to errors.
import type { Context } from '../../../context.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { HostRefused, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import { requireScope } from '../../accounts/index.ts';
import { withoutMarks } from '../../../platform/database.ts';
import { loadRepository } from '../../repositories/index.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

/** Reads the pull request from its host. Throws FORBIDDEN without the scope `queue:write`, and NOT_FOUND. */
export async function loadFromHost(
  ctx: Context,
  request: { readonly repository: { readonly owner: string; readonly name: string }; readonly number: number },
): Promise<{ readonly repository: RepositoryRow; readonly host: HostedRepository; readonly row: PullRequestRow }> {
  requireScope(ctx, 'queue:write');
  const repository = await loadRepository(ctx, request.repository, 'queue:write');
  const host = toHostedRepository(repository);
  const row = await withoutMarks(async () => await syncPullRequest(ctx, host, request.number));
  if (row === null) throw notFound('Pull request');
  return { repository, host, row };
}

/** Converts a refusal by the host to BAD_INPUT with the host's message. */
export async function convertRefusal<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof HostRefused) throw new DomainError('BAD_INPUT', error.message);
    throw error;
  }
}
