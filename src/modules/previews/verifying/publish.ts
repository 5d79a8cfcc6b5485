// Publishes the status of a verification as a check of its head commit: at the host for people, and in the database for
// the queue. A repetition after a kill publishes the same status with the same version.
import type { Context } from '../../../context.ts';
import { describeCheck, verificationCheckName, type VerificationFacts } from '../../../domain/previews/check.ts';
import { checkOutcomeOf, isFinal, type CheckOutcome } from '../../../domain/previews/verification.status.ts';
import { hostClient, HostRefused, toHostedRepository } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { pullRequestPage } from '../../repositories/index.ts';
import { noFailedCalls } from '../../../platform/turns/index.ts';
import { lockVerification, type VerificationRows } from './rows.ts';
import type { RecordCheck, VerificationPorts } from './verifying.ts';

export async function publish(ctx: Context, verificationId: string, verifying: VerificationPorts): Promise<string> {
  const { rows, steps } = await ctx.db.transaction(ctx.accountId, async (tx) => ({
    rows: await lockVerification(ctx, tx, verificationId),
    steps: await tx.query<VerificationFacts['steps'][number]>(
      'select scenario, step, conclusion, detail from verification_step where account_id = $1 and verification_id = $2 order by ordinal',
      [ctx.accountId, verificationId],
    ),
  }));
  const { status, attempt, previewName, degraded, summary } = rows.verification;
  const described = describeCheck({
    status,
    attempt,
    previewName: previewName ?? null,
    degraded,
    summary: summary ?? null,
    steps,
  });
  const refusal = await publishAtHost(ctx, rows, described);
  await passFailpoint('verification:published');
  const outcome = checkOutcomeOf(status);
  await record(ctx, rows, { recordCheck: verifying.recordCheck, outcome, title: described.title, refusal });
  return refusal === null ? `published: ${outcome}` : `published: ${outcome}. ${refusal}`;
}

/**
 * Publishes the check at the host. The queue reads the recorded check, even if the host refuses the check for good.
 * Returns the host's refusal, or null.
 */
async function publishAtHost(
  ctx: Context,
  { verification: { id, headCommit: commit, status }, repository, pullRequest }: VerificationRows,
  described: ReturnType<typeof describeCheck>,
): Promise<string | null> {
  // A later verification of the commit has a higher id, and so a higher version.
  const version = Number(id) * 2 + (isFinal(status) ? 1 : 0);
  const url = pullRequestPage(ctx, repository, pullRequest.number);
  const check = { commit, name: verificationCheckName, ...described, url, version };
  try {
    await hostClient(ctx, toHostedRepository(repository)).publishCheck(check);
    return null;
  } catch (error) {
    if (error instanceof HostRefused) return `The host refused the check: ${error.message}`;
    throw error;
  }
}

interface CheckToRecord {
  readonly recordCheck: RecordCheck;
  readonly outcome: CheckOutcome;
  readonly title: string;
  readonly refusal: string | null;
}

/**
 * Records the check. Locks the rows of queues first, because they come before the verification's row in the order of
 * locks.
 */
async function record(
  ctx: Context,
  { verification, repository }: VerificationRows,
  { recordCheck, outcome, title, refusal }: CheckToRecord,
): Promise<void> {
  const { id, headCommit: commit, attempt, summary, createdAt, endedAt } = verification;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await recordCheck(ctx, tx, {
      repositoryId: repository.id,
      commit,
      name: verificationCheckName,
      attempt,
      outcome,
      summary: summary ?? title,
      startedAt: createdAt,
      endedAt: endedAt ?? null,
    });
    const { verification: now } = await lockVerification(ctx, tx, id);
    // If the status has changed in the meantime, the next turn publishes the newer status.
    if (checkOutcomeOf(now.status) !== outcome) return;
    Object.assign(now, { publishedCheck: outcome, ...noFailedCalls, problem: refusal });
  });
}
