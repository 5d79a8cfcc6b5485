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
  /** False: no bot pull request was opened for the batch, so that CI ran on none of its commits. Left out: true. */
  readonly isBuilt?: boolean;
  /** Facts of the event besides the pull requests and the commit. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export function announceBatch(
  work: QueueWork,
  loaded: Members,
  { batch, action, isBuilt = true, extra }: BatchEvent,
): void {
  work.events.push({
    repositoryId: batch.repositoryId,
    queueId: batch.queueId,
    batchId: batch.id,
    action,
    payload: {
      pullRequests: pullRequestsOf(loaded, batch).map(describe),
      batchCommitSha: batch.mode === 'parallel' ? validatedCommit(batch, isBuilt) : null,
      ...extra,
    },
  });
}

/**
 * The commit that CI validated. A landing that other builds justify was not built itself. If one build justifies the
 * landing, CI validated the commit of that build. If several builds justify it, CI validated no single commit.
 */
function validatedCommit({ restsOn, testedCommit }: BatchRow, isBuilt: boolean): string | null {
  if (restsOn.length === 0) return isBuilt ? (testedCommit ?? null) : null;
  return restsOn.length === 1 ? (restsOn[0] ?? null) : null;
}

/** Whether a bot pull request was opened for the batch. */
export async function hasBotPullRequest(tx: Transaction, { accountId, id }: BatchRow): Promise<boolean> {
  const found = await tx.query(
    'select 1 from bot_pull_request where account_id = $1 and batch_id = $2 and opened_at is not null',
    [accountId, id],
  );
  return found.length > 0;
}
