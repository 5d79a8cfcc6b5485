// Wakes the workflows of a queue's batches. A wake starts the workflow if there is none. The process remembers which
// batches it has woken, because a wake of a running workflow costs four events of its history. If the memory is lost
// with the process, a batch is woken once too often, or is woken again by a later turn.
import type { Context } from '../../src/context.ts';
import type { Advance } from '../../src/modules/queue/index.ts';

type OpenBatch = Advance['batches'][number];

interface Woken {
  readonly need: OpenBatch['need'];
  /** When the batch was last woken, or first seen. Milliseconds since the epoch. */
  readonly at: number;
}

/** In case a wake is lost, for example because Temporal is down. The relay causes a turn every 30 s. */
const againAfterMs = 10_000;
/**
 * A batch that waits for its checks needs no wake, because its workflow polls. It is woken in case its workflow was
 * lost or terminated. The workflow itself polls at most every five minutes.
 */
const waitingAgainAfterMs = 300_000;

/** Whether a batch needs a wake. `before`: what is known of it. Undefined: this process sees the batch for the first time. */
export function needsWake(need: OpenBatch['need'], before: Woken | undefined, now: number): boolean {
  // The process that started a batch has woken it.
  if (before === undefined) return need !== 'wait';
  // The other steps follow each other within the workflow.
  if (need === 'clean_up' && before.need !== 'clean_up') return true;
  return now - before.at >= (need === 'wait' ? waitingAgainAfterMs : againAfterMs);
}

export interface BatchWakes {
  /** `isFirstTurn`: a new run of the queue's workflow knows nothing of its batches, so all are woken. */
  wake(ctx: Context, of: { queueId: string; batches: readonly OpenBatch[]; isFirstTurn: boolean }): Promise<void>;
}

export function createBatchWakes(): BatchWakes {
  const known = new Map<string, ReadonlyMap<string, Woken>>();
  return {
    async wake(ctx, { queueId, batches, isFirstTurn }) {
      const now = ctx.clock().getTime();
      const before = known.get(queueId) ?? new Map<string, Woken>();
      const after = new Map<string, Woken>();
      for (const { id, need, title, details, isQuick } of batches) {
        const last = before.get(id);
        const isWoken = isFirstTurn || needsWake(need, last, now);
        if (isWoken) await ctx.wake({ accountId: ctx.accountId, batchId: id, title, details, isQuick });
        after.set(id, { need, at: isWoken || last === undefined ? now : last.at });
      }
      if (after.size === 0) known.delete(queueId);
      else known.set(queueId, after);
    },
  };
}
