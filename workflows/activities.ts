import type { Ports } from '../src/context.ts';
import type { Attending } from '../src/modules/releases/index.ts';
import type { RunbookAttending } from '../src/modules/runbooks/index.ts';
import type { Verifying } from '../src/modules/previews/index.ts';
import type { WebhookSender } from '../src/modules/webhooks/index.ts';
import { createBatchActivities, type BatchActivities } from './batch/activities.ts';
import { createBuildActivities, type BuildActivities } from './build/activities.ts';
import { createDeploymentActivities, type DeploymentActivities } from './deployment/activities.ts';
import { createQueueActivities, type QueueActivities } from './queue/activities.ts';
import { createRunbookActivities, type RunbookActivities } from './runbook/activities.ts';
import { createVerificationActivities, type VerificationActivities } from './verification/activities.ts';
import { createDeliveryActivities, type DeliveryActivities } from './webhook-delivery/activities.ts';

export interface ActivityOptions {
  readonly webhooks: WebhookSender | null;
  readonly attending: Attending;
  readonly runbooks: RunbookAttending;
  readonly verifying: Verifying;
}

export function createActivities(
  ports: Ports,
  { webhooks, attending, runbooks, verifying }: ActivityOptions,
): QueueActivities &
  BatchActivities &
  DeploymentActivities &
  BuildActivities &
  RunbookActivities &
  VerificationActivities &
  Partial<DeliveryActivities> {
  return {
    ...createQueueActivities(ports),
    ...createBatchActivities(ports),
    ...createDeploymentActivities(ports, attending),
    ...createBuildActivities(ports, attending),
    ...createRunbookActivities(ports, runbooks),
    ...createVerificationActivities(ports, verifying),
    ...(webhooks !== null && createDeliveryActivities(webhooks)),
  };
}
