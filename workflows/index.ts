// Everything the worker's workflow bundle holds.
export { batch } from './batch/workflow.ts';
export { build } from './build/workflow.ts';
export { deployment } from './deployment/workflow.ts';
export { queue } from './queue/workflow.ts';
export { rollback } from './rollback/workflow.ts';
export { runbook } from './runbook/workflow.ts';
export { verification } from './verification/workflow.ts';
export { webhookDelivery } from './webhook-delivery/workflow.ts';
