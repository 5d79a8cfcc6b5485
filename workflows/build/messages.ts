import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface BuildInput extends DrivenInput {
  readonly candidateId: string;
}

export function buildWorkflowId({ accountId, candidateId }: BuildInput): string {
  return `build:${accountId}:${candidateId}`;
}

/** The candidate's row changed: look at it now. */
export const buildLookSignal = defineSignal('look');
