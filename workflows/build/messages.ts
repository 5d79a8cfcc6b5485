import { defineSignal } from '@temporalio/workflow';

export interface BuildInput {
  readonly accountId: string;
  readonly candidateId: string;
}

export function buildWorkflowId({ accountId, candidateId }: BuildInput): string {
  return `build:${accountId}:${candidateId}`;
}

/** The candidate's row changed: look at it now. */
export const buildLookSignal = defineSignal('look');
