import { defineSignal } from '@temporalio/workflow';

export interface DeploymentInput {
  readonly accountId: string;
  readonly deploymentId: string;
}

export function deploymentWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `deployment:${accountId}:${deploymentId}`;
}

/** The deployment's row, or what it waits for, changed: look at it now. */
export const deploymentLookSignal = defineSignal('look');
