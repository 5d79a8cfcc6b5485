// All activities that workflows call, by name. The driven kinds of rows (deployments, builds, runbooks, verifications)
// are listed in a table. Each kind has two activities: one takes a turn, and one carries out the work that the turn
// decided on.
import type { Ports } from '../src/context.ts';
import { advanceVerification, carryOutVerification, type VerificationPorts } from '../src/modules/previews/index.ts';
import {
  advanceBuild,
  advanceDeployment,
  carryOutBuild,
  carryOutDeployment,
  type ReleaseDriving,
} from '../src/modules/releases/index.ts';
import { advanceRunbook, carryOutRunbook, type RunbookDriving } from '../src/modules/runbooks/index.ts';
import type { WebhookSender } from '../src/modules/webhooks/index.ts';
import { createBatchActivities, type BatchActivities } from './batch/activities.ts';
import type { BuildInput } from './build/messages.ts';
import type { DeploymentInput } from './deployment/messages.ts';
import { createQueueActivities, type QueueActivities } from './queue/activities.ts';
import type { RunbookInput } from './runbook/messages.ts';
import { createDrivenActivities } from './shared/activities.ts';
import type { VerificationInput } from './verification/messages.ts';
import { createDeliveryActivities, type DeliveryActivities } from './webhook-delivery/activities.ts';

export interface ActivityOptions {
  readonly webhooks: WebhookSender | null;
  readonly releases: ReleaseDriving;
  readonly runbooks: RunbookDriving;
  readonly verifying: VerificationPorts;
}

export function createActivities(
  ports: Ports,
  { webhooks, releases, runbooks, verifying }: ActivityOptions,
): QueueActivities & BatchActivities & Partial<DeliveryActivities> & AllDriven {
  return {
    ...createQueueActivities(ports),
    ...createBatchActivities(ports),
    ...createAllDriven(ports, { releases, runbooks, verifying }),
    ...(webhooks !== null && createDeliveryActivities(webhooks)),
  };
}

export type AllDriven = ReturnType<typeof createAllDriven>;

/** A rollback is a deployment, and uses the activities of deployments. */
function createAllDriven(ports: Ports, { releases, runbooks, verifying }: Omit<ActivityOptions, 'webhooks'>) {
  return {
    ...createDrivenActivities(ports, releases, {
      kind: 'Deployment',
      idOf: ({ deploymentId }: DeploymentInput) => deploymentId,
      advance: advanceDeployment,
      carryOut: carryOutDeployment,
    }),
    ...createDrivenActivities(ports, releases, {
      kind: 'Build',
      idOf: ({ candidateId }: BuildInput) => candidateId,
      advance: advanceBuild,
      carryOut: carryOutBuild,
    }),
    ...createDrivenActivities(ports, runbooks, {
      kind: 'Runbook',
      idOf: ({ runbookId }: RunbookInput) => runbookId,
      advance: advanceRunbook,
      carryOut: carryOutRunbook,
    }),
    ...createDrivenActivities(ports, verifying, {
      kind: 'Verification',
      idOf: ({ verificationId }: VerificationInput) => verificationId,
      advance: advanceVerification,
      carryOut: carryOutVerification,
    }),
  };
}
