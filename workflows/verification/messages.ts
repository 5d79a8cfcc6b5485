import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface VerificationInput extends DrivenInput {
  readonly verificationId: string;
}

export function verificationWorkflowId({ accountId, verificationId }: VerificationInput): string {
  return `verification:${accountId}:${verificationId}`;
}

/**
 * Sent when rows of the verification, or rows that the verification waits for, have changed: the workflow takes a turn.
 */
export const verificationLookSignal = defineSignal('look');
