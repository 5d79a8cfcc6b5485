// Reads the line as plain rows for decisions, without an entity for each pull request. A turn reads a line of a
// thousand pull requests in a few milliseconds. Entities are loaded only for pull requests that a decision changes.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { PullRequestRow } from './queue.entities.ts';

/** The columns that admission reads. Admission also reads checks and conflicts from other tables. */
export type AdmissionRow = Pick<
  PullRequestRow,
  | 'id'
  | 'baseBranch'
  | 'draft'
  | 'labels'
  | 'approvals'
  | 'changesRequested'
  | 'unresolvedConversations'
  | 'ownerReviewMissing'
  | 'requiredReviewMissing'
  | 'queueLabels'
  | 'failedValidations'
  | 'validatedBy'
  | 'unverifiedCommits'
  | 'verifiedHead'
  | 'skipValidation'
  | 'headSha'
  | 'headUnseen'
  | 'belowId'
>;

/**
 * The columns that the planner and explanations read. Both also read checks, conflicts and targets from other tables.
 */
export interface PlacedRow
  extends Pick<AdmissionRow, 'id' | 'labels' | 'skipValidation' | 'headSha' | 'headUnseen' | 'belowId'> {
  readonly number: number;
  readonly status: PullRequestRow['status'];
  readonly rank: number;
  readonly reorderedForFailure: boolean;
  readonly timesPassed: number;
  readonly skipLine: boolean;
  /** Milliseconds since the epoch. */
  readonly queuedAt: number;
  readonly requeueAttempts: number;
  readonly bisectionGroup: string | null;
  readonly bisectionMax: number | null;
  readonly bisectionAttempts: number;
  readonly bisectionPhase: PullRequestRow['bisectionPhase'];
  readonly topAnnounced: boolean;
  readonly stuckAnnounced: boolean;
  readonly conflictParent: string | null;
  readonly conflictAfter: string[] | null;
}

export interface LineRow extends AdmissionRow, PlacedRow {
  readonly author: string;
  readonly statusText: string | null;
}

/** SQL for the columns of a `PlacedRow` except the ids, from `pull_request` or from `pull_request_past`. */
export const placedColumns = `number, status, labels, skip_validation as "skipValidation", head_sha as "headSha",
  coalesce(head_unseen, false) as "headUnseen", coalesce(rank, 0)::float8 as rank, coalesce(reordered_for_failure, false) as "reorderedForFailure",
  coalesce(times_passed, 0) as "timesPassed", skip_line as "skipLine", coalesce(extract(epoch from queued_at) * 1000, 0)::float8 as "queuedAt",
  requeue_attempts as "requeueAttempts", bisection_group as "bisectionGroup", bisection_max as "bisectionMax", bisection_attempts as "bisectionAttempts",
  bisection_phase as "bisectionPhase", top_announced as "topAnnounced", stuck_announced as "stuckAnnounced",
  conflict_parent as "conflictParent", conflict_after as "conflictAfter"`;

/** SQL for the columns of a `LineRow`, from the same tables. */
export const lineColumns = `id, below_id as "belowId", ${placedColumns}, author, status_text as "statusText", base_branch as "baseBranch", draft, approvals,
  changes_requested as "changesRequested", unresolved_conversations as "unresolvedConversations", owner_review_missing as "ownerReviewMissing",
  required_review_missing as "requiredReviewMissing",
  queue_labels as "queueLabels", failed_validations as "failedValidations", validated_by as "validatedBy",
  unverified_commits as "unverifiedCommits", verified_head as "verifiedHead"`;

/**
 * SQL for whether the merge of a pull request is requested: it is queued, tagged or pending. There are two conditions,
 * because each has its own index.
 */
export const isWanted = `(status in ('queued', 'tagged') or status = 'pending')`;

/**
 * All queued or tagged pull requests, by rank. Flush the unit of work before the call, because this reads the database.
 */
export async function readLine(ctx: Context, tx: Transaction, queueId: string): Promise<LineRow[]> {
  return await tx.query<LineRow>(
    `select ${lineColumns} from pull_request where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') order by rank`,
    [ctx.accountId, queueId],
  );
}

/** Like `readLine`, for the pull requests of the line with these ids. */
export async function readLineOf(
  ctx: Context,
  tx: Transaction,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] },
): Promise<LineRow[]> {
  return await tx.query<LineRow>(
    `select ${lineColumns} from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and id = any($3::bigint[]) order by rank`,
    [ctx.accountId, queueId, ids],
  );
}

export interface WantedRows {
  /** The pull request that has waited longest is the first. */
  readonly pending: readonly LineRow[];
  readonly line: readonly LineRow[];
}

/** Like `readLine`, but also returns the pending pull requests. */
export async function readWantedRows(ctx: Context, tx: Transaction, queueId: string): Promise<WantedRows> {
  const rows = await tx.query<LineRow>(
    `select ${lineColumns} from pull_request
     where account_id = $1 and queue_id = $2 and ${isWanted} order by rank, merge_requested_at, id`,
    [ctx.accountId, queueId],
  );
  const { pending = [], line = [] } = Object.groupBy(rows, ({ status }) => (status === 'pending' ? 'pending' : 'line'));
  return { pending, line };
}
