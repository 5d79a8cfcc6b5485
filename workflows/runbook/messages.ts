import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface RunbookInput extends DrivenInput {
  readonly runbookId: string;
}

export function runbookWorkflowId({ accountId, runbookId }: RunbookInput): string {
  return `runbook:${accountId}:${runbookId}`;
}

/** The rows of the runbook, or rows that it waits for, have changed: read them now. */
export const runbookLookSignal = defineSignal('look');
