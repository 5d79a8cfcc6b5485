import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface VerificationInput extends DrivenInput {
  readonly verificationId: string;
}

export function verificationWorkflowId({ accountId, verificationId }: VerificationInput): string {
  return `verification:${accountId}:${verificationId}`;
}

/** The rows of the verification, or rows that it waits for, have changed: read them now. */
export const verificationLookSignal = defineSignal('look');
