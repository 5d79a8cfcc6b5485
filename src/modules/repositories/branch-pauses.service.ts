import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { couldBeOverridden } from '../../domain/queue/requests/pause.ts';
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
 * the rule is already the same, and no newer rule could decide instead of it, nothing is written: no event, no user
 * action and no new turns of the queues.
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
    const same = await tx.em.findOne(BranchPauseEntity, { ...of, pattern });
    if (same?.paused === paused && (same.pausedMessage ?? null) === pausedMessage) {
      const newer = await tx.query<{ pattern: string }>(
        'select pattern from branch_pause where account_id = $1 and repository_id = $2 and id > $3',
        [ctx.accountId, id, same.id],
      );
      if (!couldBeOverridden(pattern, newer)) return { repository, rule: same };
    }
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
