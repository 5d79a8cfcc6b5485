// Everything the worker's workflow bundle holds.
export { batch } from './batch/workflow.ts';
export { queue } from './queue/workflow.ts';
export { webhookDelivery } from './webhook-delivery/workflow.ts';
