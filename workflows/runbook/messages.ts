import { defineSignal } from '@temporalio/workflow';

export interface RunbookInput {
  readonly accountId: string;
  readonly runbookId: string;
}

export function runbookWorkflowId({ accountId, runbookId }: RunbookInput): string {
  return `runbook:${accountId}:${runbookId}`;
}

/** Its rows, or what it waits for, changed: look at them now. */
export const runbookLookSignal = defineSignal('look');
