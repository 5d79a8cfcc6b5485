// Reports the status of a verification on its head commit: at the host for people, and among the checks of the commit,
// which the queue goes by. Reported again after a kill, it is the same status under the same version.
import type { Context } from '../../../context.ts';
import { describeCheck, verificationCheckName, type VerificationFacts } from '../../../domain/previews/check.ts';
import { checkWord, isFinal, type CheckWord } from '../../../domain/previews/verification.status.ts';
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
  const words = describeCheck({
    status,
    attempt,
    previewName: previewName ?? null,
    degraded,
    summary: summary ?? null,
    steps,
  });
  const refusal = await showAtHost(ctx, rows, words);
  await passFailpoint('verification:published');
  const word = checkWord(status);
  await record(ctx, rows, { recordCheck: verifying.recordCheck, word, title: words.title, refusal });
  return refusal === null ? `published: ${word}` : `published: ${word}. ${refusal}`;
}

/**
 * Shows the check at the host for people. The queue goes by the recorded check, even where the host refuses it for good.
 * Returns the host's refusal.
 */
async function showAtHost(
  ctx: Context,
  { verification: { id, headCommit: commit, status }, repository, pullRequest }: VerificationRows,
  words: ReturnType<typeof describeCheck>,
): Promise<string | null> {
  // A later run over the commit has a higher id.
  const version = Number(id) * 2 + (isFinal(status) ? 1 : 0);
  const url = pullRequestPage(ctx, repository, pullRequest.number);
  const check = { commit, name: verificationCheckName, ...words, url, version };
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
  readonly word: CheckWord;
  readonly title: string;
  readonly refusal: string | null;
}

/** Takes the rows of queues first, which come before the verification's in the order of locks. */
async function record(
  ctx: Context,
  { verification, repository }: VerificationRows,
  { recordCheck, word, title, refusal }: Published,
): Promise<void> {
  const { id, headCommit: commit, attempt, summary, createdAt, endedAt } = verification;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await recordCheck(ctx, tx, {
      repositoryId: repository.id,
      commit,
      name: verificationCheckName,
      attempt,
      word,
      summary: summary ?? title,
      startedAt: createdAt,
      endedAt: endedAt ?? null,
    });
    const { verification: now } = await lockVerification(ctx, tx, id);
    // The verification went on meanwhile: a newer status has been published, and this one is old.
    if (checkWord(now.status) !== word) return;
    Object.assign(now, { publishedCheck: word, ...untried, problem: refusal });
  });
}
