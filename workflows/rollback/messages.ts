import { defineSignal } from '@temporalio/workflow';
import type { DeploymentInput } from '../deployment/messages.ts';

/** The id of the workflow, made of the id of the deployment that rolls back. */
export function rollbackWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `rollback:${accountId}:${deploymentId}`;
}

/** What it waits for, or its deployment, changed: look now. */
export const rollbackLookSignal = defineSignal('look');
