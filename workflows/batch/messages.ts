import { defineSignal } from '@temporalio/workflow';

export interface BatchInput {
  readonly accountId: string;
  readonly batchId: string;
  /** The pull requests of the batch and their base branch, for Temporal's UI. */
  readonly title?: string;
  /** The number of events in the history after which a run continues as new. Absent: the default of workflows. */
  readonly mostHistoryEvents?: number;
}

export function batchWorkflowId({ accountId, batchId }: Pick<BatchInput, 'accountId' | 'batchId'>): string {
  return `batch:${accountId}:${batchId}`;
}

/** Sent when the row of the batch has changed: the workflow takes a step. */
export const lookSignal = defineSignal('look');
