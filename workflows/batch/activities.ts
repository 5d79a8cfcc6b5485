import { systemContext, type Ports } from '../../src/context.ts';
import { driveBatch, type BatchProgress } from '../../src/modules/queue/index.ts';
import type { BatchInput } from './messages.ts';

export interface BatchActivities {
  driveBatch(input: BatchInput): Promise<BatchProgress>;
}

export function createBatchActivities(ports: Ports): BatchActivities {
  return { driveBatch: async ({ accountId, batchId }) => await driveBatch(systemContext(ports, accountId), batchId) };
}
