// Says on the head how its verification stands: at the host for people, and among the checks of the commit, which the
// queue goes by. Told again after a kill, it is the same word under the same version.
import type { Context } from '../../../context.ts';
import { describeCheck, verificationCheckName, type VerificationFacts } from '../../../domain/previews/check.ts';
import { checkWord, isFinal } from '../../../domain/previews/verification.status.ts';
import { HostRefused } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { untried } from '../../../platform/turns/index.ts';
import { hosted, lockVerification } from './rows.ts';
import type { Verifying } from './verifying.ts';

export async function publish(ctx: Context, verificationId: string, { recordCheck }: Verifying): Promise<string> {
  const { rows, steps } = await ctx.db.transaction(ctx.accountId, async (tx) => ({
    rows: await lockVerification(ctx, tx, verificationId),
    steps: await tx.query<VerificationFacts['steps'][number]>(
      'select scenario, step, conclusion, detail from verification_step where account_id = $1 and verification_id = $2 order by ordinal',
      [ctx.accountId, verificationId],
    ),
  }));
  const { verification, repository } = rows;
  const { id, headCommit: commit, status, attempt, createdAt, endedAt } = verification;
  const words = describeCheck({
    status,
    attempt,
    previewName: verification.previewName ?? null,
    degraded: verification.degraded,
    summary: verification.summary ?? null,
    steps,
  });
  // The host shows it to people; the queue goes by what is recorded, also where the host refuses for good to show it.
  const refusal = await ctx
    .hosts(repository.host)
    .publishCheck(hosted(repository), {
      commit,
      name: verificationCheckName,
      ...words,
      url: null,
      // Of later runs over a commit the ids are higher.
      version: Number(id) * 2 + (isFinal(status) ? 1 : 0),
    })
    .then(
      () => null,
      (error: unknown) => {
        if (error instanceof HostRefused) return `The host does not show it: ${error.message}`;
        throw error;
      },
    );
  await passFailpoint('verification:published');
  const word = checkWord(status);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await recordCheck(ctx, tx, {
      repositoryId: repository.id,
      commit,
      name: verificationCheckName,
      attempt,
      word,
      summary: verification.summary ?? words.title,
      startedAt: createdAt,
      endedAt: endedAt ?? null,
    });
    const { verification: now } = await lockVerification(ctx, tx, verificationId);
    // It went on while the host was told: whoever told of that was newer, and this word is old.
    if (checkWord(now.status) !== word) return;
    Object.assign(now, { told: word, ...untried, problem: refusal });
  });
  return refusal === null ? `told: ${word}` : `told: ${word}. ${refusal}`;
}
