import { defineSignal } from '@temporalio/workflow';

export interface DeliveryInput {
  readonly accountId: string;
  readonly deliveryId: string;
}

/** The id of the workflow, which is started only after a first attempt has failed. */
export function deliveryWorkflowId({ accountId, deliveryId }: DeliveryInput): string {
  return `webhook-delivery:${accountId}:${deliveryId}`;
}

/** Sent when the row of the delivery has changed: the workflow reads it. */
export const deliveryLookSignal = defineSignal('look');
