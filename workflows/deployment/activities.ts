import type { Ports } from '../../src/context.ts';
import {
  advanceDeployment,
  carryOutDeployment,
  type Attending,
  type DeploymentAdvance,
} from '../../src/modules/releases/index.ts';
import { createDrivenActivities } from '../shared/activities.ts';
import type { DrivenActivities } from '../shared/driven.ts';
import type { DeploymentInput } from './messages.ts';

export type { DeploymentAdvance };
export type DeploymentActivities = DrivenActivities<'Deployment', DeploymentInput, DeploymentAdvance>;

export function createDeploymentActivities(ports: Ports, attending: Attending): DeploymentActivities {
  return createDrivenActivities(ports, attending, {
    kind: 'Deployment',
    idOf: ({ deploymentId }: DeploymentInput) => deploymentId,
    advance: advanceDeployment,
    carryOut: carryOutDeployment,
  });
}
