// Carries out the calls of a verification outside of a transaction.
import type { Context } from '../../../context.ts';
import { retryAtOf } from '../../../hosts/port.ts';
import { pauseAfter } from '../../../domain/previews/drive.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { carryOutDue, delayNextCall, type CarryOut } from '../../../platform/turns/index.ts';
import { verificationKind, type VerificationTypes } from './advance.ts';
import { superviseVerification } from './supervise.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import type { VerificationPorts } from './verifying.ts';

const maxCharacters = 500;

const carryOut: CarryOut<VerificationTypes> = {
  kind: verificationKind,
  // `prepare` and `publish` write their results themselves, because `publish` must lock the rows of queues first, which
  // come before the verification's row in the order of locks.
  call: async (ctx, { id, step }, verifying) => ({
    message: step.call === 'prepare' ? await prepare(ctx, id, verifying) : await publish(ctx, id, verifying),
  }),
  supervise: superviseVerification,
  failureOf: (_ctx, error, { step }) =>
    // A failed call is repeated after a back-off. A supervised attempt writes its failure itself.
    step.kind === 'supervise'
      ? null
      : {
          message: cutText(error instanceof Error ? error.message : String(error), maxCharacters),
          isFinal: false,
          retryAt: retryAtOf(error),
        },
  fail: async (ctx, _tx, { rows, message }) =>
    delayNextCall(rows.verification, { now: ctx.clock(), pauseAfter, problem: message }),
};

/** Carries out the call or the supervised work that is due. Returns the outcome as a sentence. */
export async function carryOutVerification(ctx: Context, id: string, by: VerificationPorts): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}
