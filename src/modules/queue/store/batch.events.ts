// Adds events about a batch, with the facts of its pull requests.
import type { Transaction } from '../../../platform/database.ts';
import type { PlannedMember } from './batch.members.ts';
import type { BatchRow, PullRequestRow } from './queue.entities.ts';
import { describe, type QueueWork } from './status.writer.ts';

/** The members of batches by batch id, and the pull requests by id. */
export interface Members {
  readonly members: ReadonlyMap<string, readonly PlannedMember[]>;
  readonly pullRequests: ReadonlyMap<string, PullRequestRow>;
}

/** The pull requests of a batch that are loaded, in the order of the batch. */
export function pullRequestsOf({ members, pullRequests }: Members, batch: BatchRow): PullRequestRow[] {
  return (members.get(batch.id) ?? []).flatMap((member) => pullRequests.get(member.pullRequestId) ?? []);
}

export interface BatchEvent {
  readonly batch: BatchRow;
  readonly action: 'batch_failed' | 'batch_bisected' | 'batch_merged';
  /** Facts of the event besides the pull requests and the commit. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export async function announceBatch(
  work: QueueWork,
  loaded: Members,
  { batch, action, extra }: BatchEvent,
): Promise<void> {
  const batchCommitSha = await readValidatedCommit(work.tx, batch);
  work.events.push({
    repositoryId: batch.repositoryId,
    queueId: batch.queueId,
    batchId: batch.id,
    action,
    payload: {
      pullRequests: pullRequestsOf(loaded, batch).map(describe),
      batchCommitSha,
      ...extra,
    },
  });
}

/**
 * The commit on which CI ran for a batch of parallel mode (interface 6.3): the commit of its bot pull request, or else
 * the commit of the one build of another batch that counts for it. Null: CI ran on no single commit for the batch.
 */
async function readValidatedCommit(
  tx: Transaction,
  { accountId, id, mode, restsOn, testedCommit }: BatchRow,
): Promise<string | null> {
  if (mode !== 'parallel') return null;
  const opened = await tx.query(
    'select 1 from bot_pull_request where account_id = $1 and batch_id = $2 and opened_at is not null',
    [accountId, id],
  );
  if (opened.length > 0) return testedCommit ?? null;
  return restsOn.length === 1 ? (restsOn[0] ?? null) : null;
}
