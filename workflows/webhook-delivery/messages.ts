import { defineSignal } from '@temporalio/workflow';

export interface DeliveryInput {
  readonly accountId: string;
  readonly deliveryId: string;
}

/** Started only once a first attempt has failed. */
export function deliveryWorkflowId({ accountId, deliveryId }: DeliveryInput): string {
  return `webhook-delivery:${accountId}:${deliveryId}`;
}

/** The delivery's row changed: look at it now. */
export const deliveryLookSignal = defineSignal('look');
