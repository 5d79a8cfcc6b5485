// The work of a verification outside of a transaction.
import type { Context } from '../../../context.ts';
import { retryAtOf } from '../../../hosts/port.ts';
import { pauseAfter } from '../../../domain/previews/drive.ts';
import { carryOutDue, putOff, type CarryOut } from '../../../platform/turns/index.ts';
import { verificationKind, type VerificationTypes } from './advance.ts';
import { superviseVerification } from './supervise.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import type { Verifying } from './verifying.ts';

const mostCharacters = 500;

const carryOut: CarryOut<VerificationTypes> = {
  kind: verificationKind,
  // They write by themselves: publishing takes the rows of queues first, which come before this one in the order of
  // locks.
  call: async (ctx, { id, step }, verifying) => ({
    message: step.call === 'prepare' ? await prepare(ctx, id, verifying) : await publish(ctx, id, verifying),
  }),
  supervise: superviseVerification,
  failureOf: (_ctx, error, { step }) =>
    // A host that is away is no fault of ours, and is asked again. A verification that failed is started again at once.
    step.kind === 'supervise'
      ? null
      : {
          message: (error instanceof Error ? error.message : String(error)).slice(0, mostCharacters),
          isFinal: false,
          retryAt: retryAtOf(error),
        },
  fail: async (ctx, _tx, { verification }, { message }) =>
    putOff(verification, { now: ctx.clock(), pauseAfter, problem: message }),
};

/** Does the one thing that is due. Returns a sentence that says how it ended. */
export async function carryOutVerification(ctx: Context, id: string, by: Verifying): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}
