import { defineSignal } from '@temporalio/workflow';

export interface BatchInput {
  readonly accountId: string;
  readonly batchId: string;
}

export function batchWorkflowId({ accountId, batchId }: BatchInput): string {
  return `batch:${accountId}:${batchId}`;
}

/** The batch's row changed: look at it now. */
export const lookSignal = defineSignal('look');
