import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface RunbookInput extends DrivenInput {
  readonly runbookId: string;
}

export function runbookWorkflowId({ accountId, runbookId }: RunbookInput): string {
  return `runbook:${accountId}:${runbookId}`;
}

/** Sent when rows of the runbook, or rows that the runbook waits for, have changed: the workflow takes a turn. */
export const runbookLookSignal = defineSignal('look');
