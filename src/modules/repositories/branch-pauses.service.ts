import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { recordUserAction, requireAction } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { BranchPauseEntity, type BranchPauseRow, type RepositoryRow } from './repositories.entities.ts';
import { changeQueues, lockRepository } from './repositories.locks.ts';
import { loadRepository, type RepositoryName } from './repositories.reads.ts';

export interface PauseBranchesRequest {
  readonly repository: RepositoryName;
  readonly pattern: string;
  readonly paused: boolean;
  readonly pausedMessage?: string | null | undefined;
}

const maxRules = 1000;
// The message becomes a comment, and code hosts accept at most 65,536 characters in a comment.
const longestMessage = 60_000;

/**
 * Replaces the rule with exactly this pattern. Once this function has returned, no landing on a paused branch starts. If
 * the newest rule is already the same, nothing is written: no event, no user action and no new turns of the queues.
 */
export async function pauseBranches(
  ctx: Context,
  input: PauseBranchesRequest,
): Promise<{ readonly repository: RepositoryRow; readonly rule: BranchPauseRow }> {
  requireAction(ctx, 'pause');
  const { pattern, paused } = input;
  // An empty message counts as none.
  const pausedMessage = input.pausedMessage || null;
  if ((pausedMessage?.length ?? 0) > longestMessage)
    throw new DomainError('BAD_INPUT', `paused_message must be at most ${longestMessage} characters`, 'pausedMessage');
  const { id } = await loadRepository(ctx, input.repository, 'queue:pause');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, id);
    const of = { accountId: ctx.accountId, repositoryId: id };
    // A rule that is not the newest is replaced even if it stays the same, because the newest rule decides among equals.
    const newest = await tx.em.findOne(BranchPauseEntity, of, { orderBy: { id: 'desc' } });
    if (newest?.pattern === pattern && newest.paused === paused && (newest.pausedMessage ?? null) === pausedMessage)
      return { repository, rule: newest };
    const now = ctx.clock();
    await tx.send(
      `with replaced as (delete from branch_pause where account_id = $1 and repository_id = $2 and pattern = $3 returning *)
       insert into branch_pause_past (account_id, id, repository_id, pattern, paused, created_at, replaced_at)
       select account_id, id, repository_id, pattern, paused, created_at, $4 from replaced`,
      [ctx.accountId, id, pattern, now.toISOString()],
    );
    if ((await tx.em.count(BranchPauseEntity, of)) >= maxRules)
      throw new DomainError('BAD_INPUT', `A repository has at most ${maxRules} rules: use wider patterns`, 'pattern');
    const rule = tx.em.create(BranchPauseEntity, { ...of, pattern, paused, pausedMessage, createdAt: now });
    const action = paused ? 'branches_paused' : 'branches_unpaused';
    await appendEvents(ctx, tx, [{ repositoryId: id, action, payload: { pattern, message: pausedMessage } }]);
    const target = `${repository.owner}/${repository.name}:${pattern}`;
    await recordUserAction(ctx, tx, { action, target });
    await changeQueues(ctx, tx, id);
    return { repository, rule };
  });
}
