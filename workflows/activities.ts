import type { Ports } from '../src/context.ts';
import type { WebhookSender } from '../src/modules/webhooks/index.ts';
import { createBatchActivities, type BatchActivities } from './batch/activities.ts';
import { createQueueActivities, type QueueActivities } from './queue/activities.ts';
import { createDeliveryActivities, type DeliveryActivities } from './webhook-delivery/activities.ts';

export function createActivities(
  ports: Ports,
  webhooks: WebhookSender | null,
): QueueActivities & BatchActivities & Partial<DeliveryActivities> {
  return {
    ...createQueueActivities(ports),
    ...createBatchActivities(ports),
    ...(webhooks !== null && createDeliveryActivities(webhooks)),
  };
}
