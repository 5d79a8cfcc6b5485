import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface RunbookInput extends DrivenInput {
  readonly runbookId: string;
}

export function runbookWorkflowId({ accountId, runbookId }: RunbookInput): string {
  return `runbook:${accountId}:${runbookId}`;
}

/** Its rows changed, or the rows that it waits for: read them now. */
export const runbookLookSignal = defineSignal('look');
