// Wakes the workflows of a queue's batches. A wake starts the workflow if there is none. Each process remembers which
// batches it has woken, because a wake of a running workflow costs events of its history. If a process dies, its
// batches are woken once too often, or later. In case a wake is lost, later turns repeat it: the relay causes a turn
// every 30 s.
import type { Context } from '../../src/context.ts';
import type { Advance } from '../../src/modules/queue/index.ts';

type OpenBatch = Advance['batches'][number];

/** What a process knows of a batch. */
interface KnownBatch {
  readonly need: OpenBatch['need'];
  /** When the batch was last woken, or began to wait. Milliseconds of a clock that is never set back. */
  readonly at: number;
  /** How often this process has woken the batch for its present need. */
  readonly wakes: number;
}

const firstPauseMs = 10_000;
const longestPauseMs = 300_000;

/** The pause before a wake is repeated. It doubles, because a step that fails for hours must not collect signals. */
function pauseAfter(wakes: number): number {
  // A workflow that waits for checks polls by itself. It is woken in case it was lost or terminated.
  return wakes === 0 ? longestPauseMs : Math.min(longestPauseMs, firstPauseMs * 2 ** (wakes - 1));
}

/** Whether a batch is woken. `before`: undefined if this process sees the batch for the first time. */
export function needsWake(need: OpenBatch['need'], before: KnownBatch | undefined, now: number): boolean {
  // A batch that waits has a workflow, which has made its commit.
  if (before === undefined) return need !== 'wait';
  // The other steps follow each other within the workflow. A batch that waits may need a build of its own later.
  if (need !== before.need) return need === 'clean_up' || before.need === 'wait';
  return now - before.at >= pauseAfter(before.wakes);
}

export interface BatchWakes {
  /** At the first turn of a run of the queue's workflow, all batches are woken, in case Temporal has lost its data. */
  wake(ctx: Context, turn: { queueId: string; batches: readonly OpenBatch[]; isFirstTurn: boolean }): Promise<void>;
}

export function createBatchWakes(clock: () => number = () => performance.now()): BatchWakes {
  const known = new Map<string, ReadonlyMap<string, KnownBatch>>();
  return {
    async wake(ctx, { queueId, batches, isFirstTurn }) {
      const now = clock();
      const before = known.get(queueId) ?? new Map<string, KnownBatch>();
      const after = new Map<string, KnownBatch>();
      for (const { id, need, title, details, isQuick } of batches) {
        const last = before.get(id);
        const isSame = last?.need === need;
        if (isFirstTurn || needsWake(need, last, now)) {
          const isNew = last === undefined && need === 'make';
          await ctx.wake({ accountId: ctx.accountId, batchId: id, title, details, isQuick, isNew });
          after.set(id, { need, at: now, wakes: isSame ? last.wakes + 1 : 1 });
        } else after.set(id, isSame ? last : { need, at: now, wakes: 0 });
      }
      if (after.size === 0) known.delete(queueId);
      else known.set(queueId, after);
    },
  };
}
