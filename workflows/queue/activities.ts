import { heartbeat } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOut, type Advance } from '../../src/modules/queue/index.ts';
import type { QueueInput } from './messages.ts';

export interface QueueActivities {
  advanceQueue(input: QueueInput): Promise<Advance>;
  carryOut(input: { readonly accountId: string; readonly intentId: string }): Promise<void>;
}

export function createQueueActivities(ports: Ports): QueueActivities {
  return {
    advanceQueue: async ({ accountId, queueId }) => await advanceQueue(systemContext(ports, accountId), queueId),
    carryOut: async ({ accountId, intentId }) => {
      heartbeat();
      await carryOut(systemContext(ports, accountId), intentId);
    },
  };
}
