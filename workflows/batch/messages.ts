import { defineSignal } from '@temporalio/workflow';

export interface BatchInput {
  readonly accountId: string;
  readonly batchId: string;
  /** The pull requests of the batch and their base branch, for people who read the run. */
  readonly title?: string;
}

export function batchWorkflowId({ accountId, batchId }: BatchInput): string {
  return `batch:${accountId}:${batchId}`;
}

/** The batch's row changed: look at it now. */
export const lookSignal = defineSignal('look');
