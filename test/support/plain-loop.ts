// The engine without Temporal: a wake puts a queue on a list, and the list is worked off one turn at a time. What holds
// here holds by the engine's own records; Temporal only schedules it.
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOut, driveBatch } from '../../src/modules/queue/index.ts';

export interface PlainLoop {
  wake: Ports['wake'];
  /** Turns until nothing is left to do now. What waits for CI is left for the next wake. */
  run(ports: Ports): Promise<void>;
}

export function createPlainLoop(): PlainLoop {
  const woken = new Map<string, string>();
  /** When to look again without being woken. What is further off than a test lasts is left to its clock. */
  const due = new Map<string, { accountId: string; at: number }>();
  return {
    wake: async ({ accountId, queueId }) => void woken.set(queueId, accountId),
    async run(ports) {
      wakeDue();
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) return;
        const [queueId, accountId] = next;
        woken.delete(queueId);
        await turn(ports, accountId, queueId);
      }
    },
  };

  function wakeDue(): void {
    for (const [queueId, { accountId, at }] of due) {
      if (at > Date.now()) continue;
      due.delete(queueId);
      woken.set(queueId, accountId);
    }
  }

  async function turn(ports: Ports, accountId: string, queueId: string): Promise<void> {
    const ctx = systemContext(ports, accountId);
    const advance = await advanceQueue(ctx, queueId);
    if (advance.nextLookAt === null) due.delete(queueId);
    else due.set(queueId, { accountId, at: advance.nextLookAt });
    for (const batch of advance.batches) await driveBatch(ctx, batch.id);
    for (const { intents } of advance.effects) for (const intentId of intents) await carryOut(ctx, intentId);
  }
}
