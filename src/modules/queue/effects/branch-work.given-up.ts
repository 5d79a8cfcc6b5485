// What somebody asked of a branch and was given up is told where they look for it: the comment that says it has begun
// is otherwise the last word.
import { backportComment, syncRefusedComment } from '../../../domain/queue/explain/branch-comments.ts';
import { PullRequestEntity, type IntentRow } from '../store/queue.entities.ts';
import { announce, planReply, type QueueWork } from '../store/status.writer.ts';

/** Planned, not written: the host that could not be reached is told when it can. `why` goes on a sentence. */
export async function tellGivenUp(work: QueueWork, intent: IntentRow, why: string): Promise<void> {
  const { ctx, tx, now } = work;
  const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
  const asked = String(intent.payload['askedAt']);
  const reason = `${why}; ask again`;
  if (intent.kind === 'backport') {
    const target = String(intent.payload['target']);
    await tx.query(
      `update backport set state = 'refused', reason = $4, updated_at = $5
       where account_id = $1 and pull_request_id = $2 and target_branch = $3 and state in ('planned', 'waiting')`,
      [ctx.accountId, row.id, target, why, now.toISOString()],
    );
    announce(work, row, 'backport_failed', { target, backport: null, reason: why });
    const body = backportComment(target, { kind: 'refused', words: reason });
    await planReply(work, row.id, { key: `backport:${target}:${asked}`, body });
  }
  if (intent.kind === 'sync' && intent.payload['cause'] === 'asked') {
    announce(work, row, 'sync_failed', { cause: 'asked', base: null, paths: [], reason: why });
    const body = syncRefusedComment({ baseBranch: row.baseBranch, words: reason });
    await planReply(work, row.id, { key: `sync:${asked}`, body });
  }
}
