import { setTimeout as delay } from 'node:timers/promises';
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOut, type Advance } from '../../src/modules/queue/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { QueueInput } from './messages.ts';

export interface QueueActivities {
  advanceQueue(input: QueueInput): Promise<Advance>;
  /** Tries all of them, and throws when one failed: it stays open, and the next turn finds it again. */
  carryOut(input: { readonly accountId: string; readonly intents: readonly string[] }): Promise<void>;
}

// A thousand changes in the same moment are one plan. Waited for here and not in the workflow, where a timer would
// cost five events of its history in every turn.
const coalesceMs = 75;

export function createQueueActivities(ports: Ports): QueueActivities {
  return {
    advanceQueue: async ({ accountId, queueId }) =>
      await runActivity(async () => {
        await delay(coalesceMs);
        return await advanceQueue(systemContext(ports, accountId), queueId);
      }),
    carryOut: async ({ accountId, intents }) =>
      await runActivity(async () => {
        const errors: unknown[] = [];
        for (const intentId of intents)
          await carryOut(systemContext(ports, accountId), intentId).catch((error: unknown) => errors.push(error));
        if (errors.length === 1) throw errors[0];
        if (errors.length > 1)
          throw new AggregateError(
            errors,
            `${errors.length} of ${intents.length} failed: ${errors.map(String).join('; ')}`,
          );
      }),
  };
}
