import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface RunbookInput extends DrivenInput {
  readonly runbookId: string;
}

export function runbookWorkflowId({ accountId, runbookId }: RunbookInput): string {
  return `runbook:${accountId}:${runbookId}`;
}

/** Its rows, or what it waits for, changed: look at them now. */
export const runbookLookSignal = defineSignal('look');
