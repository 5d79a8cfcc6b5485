export { createDeliveryChanges, type DeliveryChanges } from './delivery-changes.ts';
export type { DeliveryRef, DeliveryWait } from './deliveries.rows.ts';
export { createWebhookRelay, webhooksAreDue, type WebhookRelay } from './relay.ts';
export { deliveryForgetting } from './retention.ts';
export type { WebhookOptions, WebhookSender } from './sender.ts';
