import { systemContext, type Ports } from '../../src/context.ts';
import { driveBatch, type BatchProgress } from '../../src/modules/queue/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { BatchInput } from './messages.ts';

export interface BatchActivities {
  driveBatch(input: BatchInput): Promise<BatchProgress>;
}

export function createBatchActivities(ports: Ports): BatchActivities {
  return {
    driveBatch: async ({ accountId, batchId }) =>
      await runActivity(async () => {
        const ctx = systemContext(ports, accountId);
        const progress = await driveBatch(ctx, batchId);
        // A commit that was just made is built at once: another step would cost six events of history.
        return progress.need === 'open' ? await driveBatch(ctx, batchId) : progress;
      }),
  };
}
