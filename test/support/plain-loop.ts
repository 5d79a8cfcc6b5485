// The engine without Temporal: a wake puts a queue on a list, and the list is worked off one turn at a time. What holds
// here holds by the engine's own records; Temporal only schedules it.
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceQueue, carryOut, driveBatch } from '../../src/modules/queue/index.ts';

export interface PlainLoop {
  wake: Ports['wake'];
  /** Turns until nothing is left to do now. What waits for CI is left for the next wake. */
  run(ports: Ports): Promise<void>;
  /** Called after every step of a turn. */
  observe: () => Promise<void>;
}

export function createPlainLoop(): PlainLoop {
  const woken = new Map<string, string>();
  const loop: PlainLoop = {
    observe: async () => {},
    wake: async ({ accountId, queueId }) => void woken.set(queueId, accountId),
    async run(ports) {
      await wakeDue(ports);
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) return;
        const [queueId, accountId] = next;
        woken.delete(queueId);
        await turn(ports, accountId, queueId);
      }
    },
  };
  return loop;

  /** As the relay: deadlines that are past. */
  async function wakeDue(ports: Ports): Promise<void> {
    const due = await ports.db.system.query<{ id: string; account_id: string }>(
      'select id, account_id from queue where next_look_at <= $1',
      [ports.clock().toISOString()],
    );
    for (const { id, account_id } of due) woken.set(id, account_id);
  }

  async function turn(ports: Ports, accountId: string, queueId: string): Promise<void> {
    const ctx = systemContext(ports, accountId);
    const advance = await advanceQueue(ctx, queueId);
    await loop.observe();
    for (const batch of advance.batches) {
      await driveBatch(ctx, batch.id);
      await loop.observe();
    }
    for (const { intents } of advance.effects)
      for (const intentId of intents) {
        await carryOut(ctx, intentId);
        await loop.observe();
      }
  }
}
