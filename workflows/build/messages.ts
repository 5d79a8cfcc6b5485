import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface BuildInput extends DrivenInput {
  readonly candidateId: string;
}

export function buildWorkflowId({ accountId, candidateId }: BuildInput): string {
  return `build:${accountId}:${candidateId}`;
}

/** Sent when the row of the candidate has changed: the workflow takes a turn. */
export const buildLookSignal = defineSignal('look');
