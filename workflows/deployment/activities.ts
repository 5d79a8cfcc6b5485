import { Context } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import {
  advanceDeployment,
  carryOutDeployment,
  type Attending,
  type DeploymentAdvance,
} from '../../src/modules/releases/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { DeploymentInput } from './messages.ts';

export interface DeploymentActivities {
  advanceDeployment(input: DeploymentInput): Promise<DeploymentAdvance>;
  /** Calls its provider, or attends to it until it has ended. Answers what came of it in words. */
  carryOutDeployment(input: DeploymentInput): Promise<string>;
}

export function createDeploymentActivities(ports: Ports, attending: Attending): DeploymentActivities {
  return {
    advanceDeployment: async ({ accountId, deploymentId }) =>
      await runActivity(async () => await advanceDeployment(systemContext(ports, accountId), deploymentId)),
    carryOutDeployment: async ({ accountId, deploymentId }) =>
      await runActivity(async () => {
        const signal = Context.current().cancellationSignal;
        return await carryOutDeployment(systemContext(ports, accountId), deploymentId, { ...attending, signal });
      }),
  };
}
