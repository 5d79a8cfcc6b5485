import type { DeliveryWait, WebhookSender } from '../../src/modules/webhooks/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { DeliveryInput } from './messages.ts';

export interface DeliveryActivities {
  attemptDelivery(input: DeliveryInput): Promise<DeliveryWait>;
}

export function createDeliveryActivities(webhooks: WebhookSender): DeliveryActivities {
  return { attemptDelivery: async (input) => await runActivity(async () => await webhooks.attemptRetry(input), null) };
}
