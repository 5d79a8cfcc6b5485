// Reports the status of a verification on its head commit: at the host for people, and among the checks of the commit,
// which the queue goes by. Reported again after a kill, it is the same status under the same version.
import type { Context } from '../../../context.ts';
import { describeCheck, verificationCheckName, type VerificationFacts } from '../../../domain/previews/check.ts';
import { checkOutcomeOf, isFinal, type CheckOutcome } from '../../../domain/previews/verification.status.ts';
import { hostClient, HostRefused } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { pullRequestPage } from '../../repositories/index.ts';
import { untried } from '../../../platform/turns/index.ts';
import { hosted, lockVerification, type VerificationRows } from './rows.ts';
import type { RecordCheck, Verifying } from './verifying.ts';

export async function publish(ctx: Context, verificationId: string, verifying: Verifying): Promise<string> {
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
  const refusal = await showAtHost(ctx, rows, described);
  await passFailpoint('verification:published');
  const outcome = checkOutcomeOf(status);
  await record(ctx, rows, { recordCheck: verifying.recordCheck, outcome, title: described.title, refusal });
  return refusal === null ? `published: ${outcome}` : `published: ${outcome}. ${refusal}`;
}

/**
 * Shows the check at the host for people. The queue goes by the recorded check, even where the host refuses it for
 * good. Returns the host's refusal.
 */
async function showAtHost(
  ctx: Context,
  { verification: { id, headCommit: commit, status }, repository, pullRequest }: VerificationRows,
  described: ReturnType<typeof describeCheck>,
): Promise<string | null> {
  // A later run over the commit has a higher id.
  const version = Number(id) * 2 + (isFinal(status) ? 1 : 0);
  const url = pullRequestPage(ctx, repository, pullRequest.number);
  const check = { commit, name: verificationCheckName, ...described, url, version };
  try {
    await hostClient(ctx, hosted(repository)).publishCheck(check);
    return null;
  } catch (error) {
    if (error instanceof HostRefused) return `The host does not show it: ${error.message}`;
    throw error;
  }
}

interface Published {
  readonly recordCheck: RecordCheck;
  readonly outcome: CheckOutcome;
  readonly title: string;
  readonly refusal: string | null;
}

/** Takes the rows of queues first, which come before the verification's in the order of locks. */
async function record(
  ctx: Context,
  { verification, repository }: VerificationRows,
  { recordCheck, outcome, title, refusal }: Published,
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
    // The verification went on meanwhile: a newer status has been published, and this one is old.
    if (checkOutcomeOf(now.status) !== outcome) return;
    Object.assign(now, { publishedCheck: outcome, ...untried, problem: refusal });
  });
}
