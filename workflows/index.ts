// All workflows of the worker. The workflow of a queue never ends, so it has no span.
import { batch as driveBatch, quickBatch as driveQuickBatch } from './batch/workflow.ts';
import { build as driveBuild } from './build/workflow.ts';
import { deployment as driveDeployment } from './deployment/workflow.ts';
import { rollback as driveRollback } from './rollback/workflow.ts';
import { runbook as driveRunbook } from './runbook/workflow.ts';
import { recorded } from './shared/run-span.ts';
import { verification as driveVerification } from './verification/workflow.ts';
import { webhookDelivery as driveDelivery } from './webhook-delivery/workflow.ts';

export { queue } from './queue/workflow.ts';
export const batch = recorded(driveBatch);
export const quickBatch = recorded(driveQuickBatch);
export const build = recorded(driveBuild);
export const deployment = recorded(driveDeployment);
export const rollback = recorded(driveRollback);
export const runbook = recorded(driveRunbook);
export const verification = recorded(driveVerification);
export const webhookDelivery = recorded(driveDelivery);
