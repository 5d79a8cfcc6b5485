// Decides how long a turn waits before it plans, so that changes of the same moment become one plan, such as a thousand
// arrivals or the results of many builds. If at most one build is open and nothing has arrived, a turn waits only until
// the longest delay since the last turn is over.
import type { Database } from '../../../platform/database.ts';
import { createQueueMemory } from './queue-memory.ts';
import type { BeforeTurn } from './quiet-turn.ts';

interface EndedTurn {
  /** When the turn ended, by the clock of this process. */
  readonly at: number;
  readonly nextRank: string;
}

const ended = createQueueMemory<EndedTurn>();

export function noteTurn(db: Database, { queueId, nextRank }: Pick<BeforeTurn, 'queueId' | 'nextRank'>): void {
  ended.keep(db, queueId, { at: performance.now(), nextRank });
}

/** Whether a pull request has entered the line since the last turn or plan in this process. */
export function hasArrivalsSinceTurn(
  db: Database,
  { queueId, nextRank }: Pick<BeforeTurn, 'queueId' | 'nextRank'>,
): boolean {
  return ended.find(db, queueId)?.nextRank !== nextRank;
}

/** Returns milliseconds. `longest` is the delay if other changes may follow. */
export function delayBeforeTurn(db: Database, before: BeforeTurn, longest: number): number {
  const last = ended.find(db, before.queueId);
  return decideDelay(
    {
      hasArrivals: hasArrivalsSinceTurn(db, before),
      openBatches: before.batches.length,
      sinceLastMs: last === undefined ? 0 : performance.now() - last.at,
    },
    longest,
  );
}

export function decideDelay(
  of: { readonly hasArrivals: boolean; readonly openBatches: number; readonly sinceLastMs: number },
  longest: number,
): number {
  if (of.hasArrivals || of.openBatches > 1) return longest;
  return Math.max(0, longest - of.sinceLastMs);
}
