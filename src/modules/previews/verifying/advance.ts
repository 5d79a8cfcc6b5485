// One turn of a verification: read, decide, write, in one transaction under its row. What is left to do outside of it is
// carried out by whoever asked for the turn.
import { quietFor, type Context } from '../../../context.ts';
import { decideVerification, type VerificationStep } from '../../../domain/previews/drive.ts';
import { relayAt } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { PreviewRegistrationEntity } from '../previews.entities.ts';
import { lockVerification, situationOf, type VerificationRows } from './rows.ts';
import { writeVerificationStatus } from './status.writer.ts';
import { describeVerification, stepText, type VerificationSummary } from './words.ts';

export interface VerificationAdvance {
  /** `call` and `attend` are left to be carried out. */
  readonly need: 'call' | 'attend' | 'wait' | 'ended';
  /** What is done next, or waited for, in words. */
  readonly step: string;
  /** When to look again although nothing wakes it; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  readonly summary: VerificationSummary;
}

type Left = Exclude<VerificationStep, { kind: 'become' | 'attach' | 'degrade' }>;

export async function advanceVerification(ctx: Context, verificationId: string): Promise<VerificationAdvance> {
  const advance = await ctx.db.transaction(ctx.accountId, async (tx): Promise<VerificationAdvance> => {
    const rows = await lockVerification(ctx, tx, verificationId);
    const step = await decide(quietFor(ctx, { verificationId }), tx, rows);
    rows.verification.nextLookAt = relayAt(step, ctx.clock());
    return {
      need: step.kind,
      step: stepText(step),
      nextLookAt: step.kind === 'wait' ? step.until : null,
      summary: await describeVerification(tx, rows, step),
    };
  });
  await passFailpoint(`verification:advanced_${advance.summary.status}`);
  return advance;
}

/** Writes what has to be written, until something is left to do or to wait for. */
async function decide(ctx: Context, tx: Transaction, rows: VerificationRows): Promise<Left> {
  const { verification } = rows;
  for (;;) {
    const step = decideVerification(await situationOf(ctx, tx, rows), ctx.clock().getTime());
    switch (step.kind) {
      case 'become':
        await writeVerificationStatus(ctx, tx, { verification, to: step.status, summary: step.because });
        break;
      case 'attach':
        await attach(ctx, tx, rows, step.registrationId);
        break;
      case 'degrade':
        verification.degraded = true;
        await writeVerificationStatus(ctx, tx, { verification, to: 'driving', summary: step.because });
        break;
      case 'call':
      case 'attend':
      case 'wait':
      case 'ended':
        return step;
      default:
        step satisfies never;
    }
  }
}

async function attach(
  ctx: Context,
  tx: Transaction,
  { verification }: VerificationRows,
  registrationId: string,
): Promise<void> {
  const of = { accountId: ctx.accountId, id: registrationId };
  const { expiresAt } = await tx.em.findOneOrFail(PreviewRegistrationEntity, of);
  Object.assign(verification, { registrationId, expiresAt });
  await writeVerificationStatus(ctx, tx, { verification, to: 'driving', summary: null });
}
