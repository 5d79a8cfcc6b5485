// Halts and resumes a queue by hand, with a reason.
import type { Context } from '../../../context.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { codeOf } from '../../../hosts/port.ts';
import { recordUserAction, requireAction } from '../../accounts/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { hosted } from '../store/hosted-repository.ts';
import { changeQueue, ensureQueue } from '../store/queue.locks.ts';
import type { RepositoryRef } from './queue.service.ts';
import { startWork, finishWork } from '../store/status.writer.ts';

/** Stops planning and landing for a base branch; admission continues. A landing under way is still concluded. */
export async function haltQueue(
  ctx: Context,
  request: { readonly repository: RepositoryRef; readonly baseBranch: string; readonly reason: string },
): Promise<{ queueId: string }> {
  const reason = request.reason.trim();
  if (reason === '') throw new DomainError('BAD_INPUT', 'reason is required: people in the queue read it.', 'reason');
  if (reason.length > longestReason)
    throw new DomainError('BAD_INPUT', `reason must be at most ${longestReason} characters long.`, 'reason');
  return await writeHalt(ctx, request, reason);
}

const longestReason = 1_000;

export async function resumeQueue(
  ctx: Context,
  request: { readonly repository: RepositoryRef; readonly baseBranch: string },
): Promise<{ queueId: string }> {
  return await writeHalt(ctx, request, null);
}

async function writeHalt(
  ctx: Context,
  request: { readonly repository: RepositoryRef; readonly baseBranch: string },
  reason: string | null,
): Promise<{ queueId: string }> {
  requireAction(ctx, 'halt');
  const repository = await loadRepository(ctx, request.repository, 'admin');
  await requireBaseBranch(ctx, repository, request.baseBranch);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queueId = await ensureQueue(ctx, tx, repository.id, request.baseBranch);
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queueId));
    const { queue } = work;
    if ((queue.haltedReason ?? null) === reason) return { queueId };
    queue.haltedReason = reason;
    queue.haltedAt = reason === null ? null : work.now;
    // The tip may have moved in the meantime: it is read again before anything is planned.
    if (reason === null) queue.baseTip = null;
    work.events.push({
      repositoryId: repository.id,
      queueId,
      action: reason === null ? 'queue_resumed' : 'queue_halted',
      payload: { reason },
    });
    await recordUserAction(ctx, tx, {
      action: reason === null ? 'queue_resumed' : 'queue_halted',
      target: `${repository.owner}/${repository.name}:${request.baseBranch}`,
    });
    await finishWork(work);
    return { queueId };
  });
}

/** The branch must have a queue or exist at the host: a misspelt name halts nothing and creates no queue. */
async function requireBaseBranch(ctx: Context, repository: RepositoryRow, baseBranch: string): Promise<void> {
  const known = await ctx.db.read(ctx.accountId, {
    name: 'queue_of_base_branch',
    text: 'select id from queue where account_id = $1 and repository_id = $2 and base_branch = $3',
    values: [ctx.accountId, repository.id, baseBranch],
  });
  if (known.length > 0) return;
  const branches = await codeOf(ctx, hosted(repository)).listRefs('refs/heads/');
  if (!branches.some(({ ref }) => ref === `refs/heads/${baseBranch}`)) throw notFound('Base branch');
}
