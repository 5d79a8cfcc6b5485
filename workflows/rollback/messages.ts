import { defineSignal } from '@temporalio/workflow';
import type { DeploymentInput } from '../deployment/messages.ts';

export interface RollbackInput extends DeploymentInput {
  /** The number of events in the history after which a run continues as new. Absent: the default of workflows. */
  readonly mostHistoryEvents?: number;
}

/** The id of the workflow. It contains the id of the deployment that carries out the rollback. */
export function rollbackWorkflowId({ accountId, deploymentId }: DeploymentInput): string {
  return `rollback:${accountId}:${deploymentId}`;
}

/**
 * Sent when the deployment of the rollback, or a deployment that the rollback waits for, has changed: the workflow
 * takes a turn.
 */
export const rollbackLookSignal = defineSignal('look');
