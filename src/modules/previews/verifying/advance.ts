// What a turn of a verification reads, decides and writes in a transaction that locks its row.
import type { Context } from '../../../context.ts';
import {
  decideVerification,
  type VerificationSituation,
  type VerificationStep,
} from '../../../domain/previews/drive.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { takeTurn, type Kind, type KindTypes, type TurnOf, type WrittenStep } from '../../../platform/turns/index.ts';
import { PreviewRegistrationEntity } from '../previews.entities.ts';
import { lockVerification, situationOf, type VerificationRows } from './rows.ts';
import { writeVerificationStatus } from './status.writer.ts';
import type { VerificationPorts } from './verifying.ts';
import {
  describeVerification,
  stepText,
  type VerificationLeft,
  type VerificationSummary,
} from './verification.text.ts';

export interface VerificationTypes extends KindTypes {
  readonly rows: VerificationRows;
  readonly situation: VerificationSituation;
  readonly left: VerificationLeft;
  readonly written: Exclude<VerificationStep, VerificationLeft>;
  readonly shown: { readonly step: string; readonly summary: VerificationSummary };
  readonly by: VerificationPorts;
}

export type VerificationAdvance = TurnOf<VerificationTypes>;

export const verificationKind: Kind<VerificationTypes> = {
  whose: (id) => ({ verificationId: id }),
  lock: lockVerification,
  rowOf: ({ verification }) => verification,
  read: situationOf,
  decide: decideVerification,
  write: async (ctx, tx, { rows, step }) => {
    await write(ctx, tx, { rows, step });
    return rows;
  },
  show: async (_ctx, tx, { rows, step }) => ({
    step: stepText(step),
    summary: await describeVerification(tx, rows, step),
  }),
};

export async function advanceVerification(ctx: Context, verificationId: string): Promise<VerificationAdvance> {
  const advance = await takeTurn(ctx, verificationKind, verificationId);
  await passFailpoint(`verification:advanced_${advance.summary.status}`);
  return advance;
}

async function write(ctx: Context, tx: Transaction, { rows, step }: WrittenStep<VerificationTypes>): Promise<void> {
  const { verification } = rows;
  switch (step.kind) {
    case 'become':
      return await writeVerificationStatus(ctx, tx, { verification, to: step.status, summary: step.because });
    case 'attach':
      return await attach(ctx, tx, { rows, registrationId: step.registrationId });
    case 'degrade':
      verification.degraded = true;
      return await writeVerificationStatus(ctx, tx, { verification, to: 'driving', summary: step.because });
    default:
      step satisfies never;
  }
}

async function attach(
  ctx: Context,
  tx: Transaction,
  { rows: { verification }, registrationId }: { readonly rows: VerificationRows; readonly registrationId: string },
): Promise<void> {
  const of = { accountId: ctx.accountId, id: registrationId };
  const { expiresAt } = await tx.em.findOneOrFail(PreviewRegistrationEntity, of);
  Object.assign(verification, { registrationId, expiresAt });
  await writeVerificationStatus(ctx, tx, { verification, to: 'driving', summary: null });
}
