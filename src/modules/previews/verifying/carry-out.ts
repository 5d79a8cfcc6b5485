// What a verification needs done outside of a transaction. Its row is its own intent: what is due is read again, done so
// that doing it twice is one, and what came of it is written where the row still says that it is wanted.
import { quietFor, type Context } from '../../../context.ts';
import { decideVerification, pauseAfter, type VerificationCall } from '../../../domain/previews/drive.ts';
import { attend } from './attend.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { lockVerification, situationOf } from './rows.ts';
import type { Verifying } from './verifying.ts';

/** Does the one thing that is due, and answers what came of it in words. */
export async function carryOutVerification(
  ctx: Context,
  verificationId: string,
  verifying: Verifying,
): Promise<string> {
  const quiet = quietFor(ctx, { verificationId });
  const step = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await lockVerification(ctx, tx, verificationId);
    return decideVerification(await situationOf(ctx, tx, rows), ctx.clock().getTime());
  });
  if (step.kind === 'attend') return await attend(quiet, verificationId, verifying);
  if (step.kind !== 'call') return 'nothing was left to do';
  try {
    return await call(quiet, verificationId, { call: step.call, verifying });
  } catch (error) {
    // A host that is away is no fault of ours, and is asked again.
    const words = (error instanceof Error ? error.message : String(error)).slice(0, longestWords);
    await putOff(quiet, verificationId, words);
    return `failed, and is tried again: ${words}`;
  }
}

const longestWords = 500;

async function call(
  ctx: Context,
  verificationId: string,
  { call, verifying }: { readonly call: VerificationCall; readonly verifying: Verifying },
): Promise<string> {
  return call === 'prepare'
    ? await prepare(ctx, verificationId, verifying)
    : await publish(ctx, verificationId, verifying);
}

async function putOff(ctx: Context, verificationId: string, words: string): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const { verification } = await lockVerification(ctx, tx, verificationId);
    verification.calls += 1;
    verification.callAt = new Date(ctx.clock().getTime() + pauseAfter(verification.calls));
    verification.problem = words;
  });
}
