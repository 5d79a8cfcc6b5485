// All workflows of the worker. The workflow of a queue never ends, so it has no span.
import { batch as driveBatch, quickBatch as driveQuickBatch } from './batch/workflow.ts';
import { build as driveBuild } from './build/workflow.ts';
import { deployment as driveDeployment } from './deployment/workflow.ts';
import { rollback as driveRollback } from './rollback/workflow.ts';
import { runbook as driveRunbook } from './runbook/workflow.ts';
import { withRunSpan } from './shared/run-span.ts';
import { verification as driveVerification } from './verification/workflow.ts';
import { webhookDelivery as driveDelivery } from './webhook-delivery/workflow.ts';

export { queue } from './queue/workflow.ts';
export const batch = withRunSpan(driveBatch);
export const quickBatch = withRunSpan(driveQuickBatch);
export const build = withRunSpan(driveBuild);
export const deployment = withRunSpan(driveDeployment);
export const rollback = withRunSpan(driveRollback);
export const runbook = withRunSpan(driveRunbook);
export const verification = withRunSpan(driveVerification);
export const webhookDelivery = withRunSpan(driveDelivery);
