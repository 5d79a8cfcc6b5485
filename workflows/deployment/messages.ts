import { defineSignal } from '@temporalio/workflow';
import type { DrivenInput } from '../shared/driven.types.ts';

export interface DeploymentInput extends DrivenInput {
  readonly deploymentId: string;
}

export function deploymentWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `deployment:${accountId}:${deploymentId}`;
}

/** Sent when the row of the deployment, or a row that it waits for, has changed: the workflow takes a turn. */
export const deploymentLookSignal = defineSignal('look');
