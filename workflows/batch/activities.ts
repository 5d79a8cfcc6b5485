import { ApplicationFailure } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import { awaitHost } from '../../src/domain/queue/landing/host-retry.ts';
import { retryAtOf } from '../../src/hosts/port.ts';
import { driveBatch, type BatchProgress } from '../../src/modules/queue/index.ts';
import { runActivity } from '../shared/activities.ts';
import { readOrigin } from '../shared/activities.spans.ts';
import type { BatchInput } from './messages.ts';

export interface BatchActivities {
  driveBatch(input: BatchInput): Promise<BatchProgress>;
}

/**
 * If a code host asks to wait, the activity is retried when the host accepts requests again, and not at Temporal's
 * intervals.
 */
function asWait(error: unknown, now: number): unknown {
  const retryAt = retryAtOf(error);
  if (retryAt === null || retryAt <= now) return error;
  return ApplicationFailure.create({
    type: 'HOST_WAIT',
    message: error instanceof Error ? error.message : String(error),
    nextRetryDelay: awaitHost(0, { retryAt, now }),
  });
}

export function createBatchActivities(ports: Ports): BatchActivities {
  return {
    driveBatch: async (input) =>
      await runActivity(
        async () => {
          const { accountId, batchId } = input;
          const ctx = systemContext(ports, accountId);
          try {
            const progress = await driveBatch(ctx, batchId);
            // A commit that was just made is built at once, because another step would cost six events of the history.
            return progress.need === 'open' ? await driveBatch(ctx, batchId) : progress;
          } catch (error) {
            throw asWait(error, ports.clock().getTime());
          }
        },
        (await readOrigin(ports, input)).origin,
      ),
  };
}
