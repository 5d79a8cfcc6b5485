import { defineSignal } from '@temporalio/workflow';

export interface BatchInput {
  readonly accountId: string;
  readonly batchId: string;
  /** Its pull requests and where they go, for people who read the run. */
  readonly title?: string;
}

export function batchWorkflowId({ accountId, batchId }: BatchInput): string {
  return `batch:${accountId}:${batchId}`;
}

/** The batch's row changed: look at it now. */
export const lookSignal = defineSignal('look');
