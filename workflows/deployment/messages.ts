import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface DeploymentInput extends DrivenInput {
  readonly deploymentId: string;
}

export function deploymentWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `deployment:${accountId}:${deploymentId}`;
}

/** The deployment's row, or what it waits for, changed: look at it now. */
export const deploymentLookSignal = defineSignal('look');
