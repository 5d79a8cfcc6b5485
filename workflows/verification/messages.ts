import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface VerificationInput extends DrivenInput {
  readonly verificationId: string;
}

export function verificationWorkflowId({ accountId, verificationId }: VerificationInput): string {
  return `verification:${accountId}:${verificationId}`;
}

/** Its rows, or what it waits for, changed: look at them now. */
export const verificationLookSignal = defineSignal('look');
