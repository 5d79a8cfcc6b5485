// Only this file writes the status of a verification. It allows the changes of the table of transitions, and writes the
// times, the revision and the event with the status. The caller locks the verification's row.
import type { Context } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { checkTitle, verificationCheckName } from '../../../domain/previews/check.ts';
import type { VerificationStatus } from '../../../domain/previews/preview.ts';
import { canMove, checkOutcomeOf, isSupervised, isFinal } from '../../../domain/previews/verification.status.ts';
import { whenWakeIsLost } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { noSupervisor, noFailedCalls } from '../../../platform/turns/index.ts';
import { appendEvents } from '../../events/index.ts';
import type { VerificationRow } from '../previews.entities.ts';
import { wakeVerification } from './wake.ts';

export interface StatusWrite {
  readonly verification: VerificationRow;
  readonly to: VerificationStatus;
  /** One sentence, without secrets. Left out: the present summary stays. */
  readonly summary?: string | null;
}

export async function writeVerificationStatus(
  ctx: Context,
  tx: Transaction,
  { verification, to, summary }: StatusWrite,
): Promise<void> {
  const from = verification.status;
  if (!canMove(from, to)) throw new DomainError('CONFLICT', `A verification that is ${from} cannot become ${to}.`);
  const now = ctx.clock();
  verification.status = to;
  verification.revision += 1;
  verification.nextLookAt = whenWakeIsLost(now);
  verification.startedAt ??= now;
  if (summary !== undefined) verification.summary = summary;
  if (isFinal(to)) Object.assign(verification, { endedAt: now, waitUntil: null, ...noSupervisor });
  // A postponed call belongs to the old status. The attempts of a supervised verification are counted until it ends.
  if (!isSupervised(from) || !isSupervised(to)) Object.assign(verification, noFailedCalls);
  if (isFinal(to)) await endCheck(ctx, tx, verification);
  wakeVerification(ctx, tx, verification.id);
  await announceVerification(ctx, tx, verification);
}

/**
 * Ends the check in the transaction of the status, so that no reader sees an ended verification with a pending check.
 * The next turn notifies the queue and the host, because it locks the rows of queues, which come before this row in the
 * order of locks.
 */
async function endCheck(ctx: Context, tx: Transaction, verification: VerificationRow): Promise<void> {
  const { repositoryId, headCommit, attempt, status, summary, createdAt, endedAt } = verification;
  await tx.send(
    `insert into check_result as r (account_id, repository_id, commit, name, attempt, conclusion, summary, started_at, completed_at, heard_at, end_heard_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
     on conflict (account_id, repository_id, commit, name, attempt) do update
       set conclusion = excluded.conclusion, summary = excluded.summary, completed_at = excluded.completed_at, end_heard_at = excluded.end_heard_at
       where r.conclusion = 'pending'`,
    [
      ctx.accountId,
      repositoryId,
      headCommit,
      verificationCheckName,
      attempt,
      checkOutcomeOf(status),
      summary ?? checkTitle(status),
      createdAt.toISOString(),
      endedAt?.toISOString() ?? null,
      ctx.clock().toISOString(),
    ],
  );
}

/** Writes the event `verification_<status>`. */
export async function announceVerification(
  ctx: Context,
  tx: Transaction,
  verification: VerificationRow,
): Promise<void> {
  await tx.em.flush();
  const { id, repositoryId, pullRequestId, headCommit, attempt, cause, status, previewName, degraded, summary } =
    verification;
  const [pullRequest] = await tx.query<{ number: number }>(
    'select number from pull_request where account_id = $1 and id = $2',
    [ctx.accountId, pullRequestId],
  );
  await appendEvents(ctx, tx, [
    {
      repositoryId,
      pullRequestId,
      verificationId: id,
      action: `verification_${status}`,
      payload: {
        number: pullRequest?.number ?? null,
        headCommit,
        attempt,
        cause,
        status,
        preview: previewName ?? null,
        degraded,
        summary: summary ?? null,
      },
    },
  ]);
}
