// Records the service's own checks on a head. The service writes them to the database and never reads them back from
// the host, so that they are neither lost nor late. The host only shows them to people.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { changeQueuesInOrder } from '../store/queue.locks.ts';

export interface ServiceCheck {
  readonly repositoryId: string;
  readonly commit: string;
  readonly name: string;
  /** A rerun is a new attempt. The newest attempt counts. */
  readonly attempt: number;
  readonly outcome: 'pending' | 'success' | 'failure' | 'cancelled';
  readonly summary: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/**
 * Writes the check and wakes the queues that wait for the commit, under the locks of their rows. Idempotent: an ended
 * attempt does not change.
 */
export async function recordServiceCheck(ctx: Context, tx: Transaction, check: ServiceCheck): Promise<void> {
  const { repositoryId, commit, name, attempt, outcome, summary, startedAt, endedAt } = check;
  const now = ctx.clock().toISOString();
  const waiting = await tx.query<{ queue_id: string }>(
    `select distinct queue_id from pull_request
     where account_id = $1 and repository_id = $2 and head_sha = $3 and status not in ('merged', 'closed') and queue_id is not null`,
    [ctx.accountId, repositoryId, commit],
  );
  const queueIds = waiting.map(({ queue_id }) => queue_id);
  await changeQueuesInOrder(ctx, tx, queueIds);
  await tx.send(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, summary, started_at, completed_at, heard_at, end_heard_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $6 <> 'pending' then $10::timestamptz end)
     on conflict (account_id, repository_id, commit, name, attempt) do update
       set conclusion = excluded.conclusion, summary = excluded.summary, completed_at = excluded.completed_at, end_heard_at = excluded.end_heard_at
       where check_result.conclusion = 'pending' and excluded.conclusion <> 'pending'`,
    [
      ctx.accountId,
      repositoryId,
      commit,
      name,
      attempt,
      outcome,
      summary,
      startedAt.toISOString(),
      endedAt?.toISOString() ?? null,
      now,
    ],
  );
  await tx.send(
    `update pull_request set notify_at = coalesce(notify_at, $4)
     where account_id = $1 and repository_id = $2 and head_sha = $3 and status = 'open' and queue_id = any($5)`,
    [ctx.accountId, repositoryId, commit, now, queueIds],
  );
}
