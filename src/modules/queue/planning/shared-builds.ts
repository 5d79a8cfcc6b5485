// `max_parallel_builds` bounds the repository, so a queue may wait for the builds of another base branch. Nothing of its
// own changes when they end: whoever ends one wakes those that wait, and they look again by themselves in case it died.
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { QueueWork } from '../store/status.writer.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';

const lookAgainMs = 60_000;

/** When a queue that may wait for builds elsewhere looks again. Null: it waits for none. */
export function lookForBuildsAt(snapshot: Snapshot, now: number): number | null {
  if (snapshot.queue.buildsElsewhere === 0) return null;
  const inBatches = new Set(snapshot.batches.flatMap((batch) => batch.members.map((member) => member.pullRequest)));
  return snapshot.pullRequests.every((pullRequest) => inBatches.has(pullRequest.id)) ? null : now + lookAgainMs;
}

/** A batch that ended before its build leaves room: the other queues of the repository are woken after the commit. */
export async function wakeWaitingQueues({ ctx, tx, queue }: QueueWork, decisions: readonly Decision[]): Promise<void> {
  const leavesRoom = decisions.some(
    ({ kind }) => kind === 'SupersedeBatch' || kind === 'ReturnBatch' || kind === 'BisectBatch' || kind === 'FailBatch',
  );
  if (!leavesRoom) return;
  // Without their locks: only the wake may be lost, and each looks again.
  const waiting = await tx.query<{ id: string }>(
    'select id from queue where account_id = $1 and repository_id = $2 and id <> $3 and waiting > 0',
    [ctx.accountId, queue.repositoryId, queue.id],
  );
  for (const { id } of waiting) tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: id }));
}
