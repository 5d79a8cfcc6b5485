import { defineSignal } from '@temporalio/workflow';
import type { DeploymentInput } from '../deployment/messages.ts';

/** The id of the workflow. It contains the id of the deployment that carries out the rollback. */
export function rollbackWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `rollback:${accountId}:${deploymentId}`;
}

/**
 * Sent when the deployment of the rollback, or a deployment that the rollback waits for, has changed: the workflow
 * takes a turn.
 */
export const rollbackLookSignal = defineSignal('look');
