import { Context } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import {
  advanceVerification,
  carryOutVerification,
  type VerificationAdvance,
  type Verifying,
} from '../../src/modules/previews/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { VerificationInput } from './messages.ts';

export interface VerificationActivities {
  advanceVerification(input: VerificationInput): Promise<VerificationAdvance>;
  /** Does the one thing that is due, or attends to it until it has ended. Answers what came of it in words. */
  carryOutVerification(input: VerificationInput): Promise<string>;
}

export function createVerificationActivities(ports: Ports, verifying: Verifying): VerificationActivities {
  return {
    advanceVerification: async ({ accountId, verificationId }) =>
      await runActivity(async () => await advanceVerification(systemContext(ports, accountId), verificationId)),
    carryOutVerification: async ({ accountId, verificationId }) =>
      await runActivity(async () => {
        const signal = Context.current().cancellationSignal;
        return await carryOutVerification(systemContext(ports, accountId), verificationId, { ...verifying, signal });
      }),
  };
}
