// Halts and resumes a queue because a user requests it, with a reason.
import type { Context } from '../../../context.ts';
import { isBranchName } from '../../../domain/branch-name.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import { recordUserAction, requireAction } from '../../accounts/index.ts';
import { loadRepository } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { dryRun, type QueueImpact } from '../planning/dry-run.ts';
import { changeQueue, ensureQueue } from '../store/queue.locks.ts';
import type { RepositoryRef } from './queue.service.ts';
import { startWork, finishWork } from '../store/status.writer.ts';

/**
 * Halts the queue of a base branch: planning and landing stop, and admission continues. A landing that has started
 * still ends.
 */
export async function haltQueue(
  ctx: Context,
  request: { readonly repository: RepositoryRef; readonly baseBranch: string; readonly reason: string },
): Promise<{ queueId: string }> {
  return await writeHalt(ctx, request, checkHaltReason(request));
}

export function checkHaltReason(request: { readonly reason: string }): string {
  const reason = request.reason.trim();
  if (reason === '')
    throw new DomainError(
      'BAD_INPUT',
      'reason is required: explanations of the pull requests in line contain it.',
      'reason',
    );
  if (reason.length > longestReason)
    throw new DomainError('BAD_INPUT', `reason must be at most ${longestReason} characters long.`, 'reason');
  return reason;
}

const longestReason = 1_000;

export async function resumeQueue(
  ctx: Context,
  request: { readonly repository: RepositoryRef; readonly baseBranch: string },
): Promise<{ queueId: string }> {
  return await writeHalt(ctx, request, null);
}

interface Halting {
  readonly repository: RepositoryRef;
  readonly baseBranch: string;
}

/**
 * Says what `haltQueue` would do, or `resumeQueue` if the reason is null. The preview assumes that the base branch has
 * not moved.
 */
export async function previewHalt(
  ctx: Context,
  request: Halting,
  reason: string | null,
): Promise<{ queueId: string; impacts: readonly QueueImpact[] }> {
  requireAction(ctx, 'halt');
  const repository = await loadRepository(ctx, request.repository, 'admin');
  const [queue] = await readQueueOf(ctx, repository, request.baseBranch);
  if (queue === undefined) throw notFound('Queue');
  const act = async (dryContext: Context): Promise<unknown> =>
    await changeHalt(dryContext, repository, { ...request, reason, keepsTip: true });
  return { queueId: queue.id, impacts: await dryRun(ctx, repository.id, act) };
}

async function writeHalt(ctx: Context, request: Halting, reason: string | null): Promise<{ queueId: string }> {
  requireAction(ctx, 'halt');
  const repository = await loadRepository(ctx, request.repository, 'admin');
  await requireBaseBranch(ctx, repository, request.baseBranch);
  return await changeHalt(ctx, repository, { ...request, reason, keepsTip: false });
}

async function changeHalt(
  ctx: Context,
  repository: RepositoryRow,
  { baseBranch, reason, keepsTip }: Halting & { readonly reason: string | null; readonly keepsTip: boolean },
): Promise<{ queueId: string }> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queueId = await ensureQueue(ctx, tx, { repositoryId: repository.id, baseBranch });
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queueId));
    const { queue } = work;
    if ((queue.haltedReason ?? null) === reason) return { queueId };
    queue.haltedReason = reason;
    queue.haltedAt = reason === null ? null : work.now;
    // The tip may have moved during the halt. It is read again before anything is planned.
    if (reason === null && !keepsTip) queue.baseTip = null;
    work.events.push({
      repositoryId: repository.id,
      queueId,
      action: reason === null ? 'queue_resumed' : 'queue_halted',
      payload: { reason },
    });
    await recordUserAction(ctx, tx, {
      action: reason === null ? 'queue_resumed' : 'queue_halted',
      target: `${repository.owner}/${repository.name}:${baseBranch}`,
    });
    await finishWork(work);
    return { queueId };
  });
}

/** Throws NOT_FOUND unless the branch has a queue or exists at the host, so that a misspelt name creates no queue. */
async function requireBaseBranch(ctx: Context, repository: RepositoryRow, baseBranch: string): Promise<void> {
  if ((await readQueueOf(ctx, repository, baseBranch)).length > 0) return;
  if (!isBranchName(baseBranch)) throw notFound('Base branch');
  const branches = await hostClient(ctx, toHostedRepository(repository)).listRefs('refs/heads/');
  if (!branches.some(({ ref }) => ref === `refs/heads/${baseBranch}`)) throw notFound('Base branch');
}

async function readQueueOf(ctx: Context, { id }: RepositoryRow, baseBranch: string): Promise<{ id: string }[]> {
  return await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'queue_of_base_branch',
    text: 'select id from queue where account_id = $1 and repository_id = $2 and base_branch = $3',
    values: [ctx.accountId, id, baseBranch],
  });
}
