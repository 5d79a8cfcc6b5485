// What the last turn in this process left to the workflow of a queue. Another turn that leaves the same, or less, needs
// no wake of the workflow (plan-before-wake.ts).
import type { Database } from '../../../platform/database.ts';
import type { OpenRows } from './open-work.ts';

export interface LeftToWorkflow {
  /** Open intents and batches. The workflow carries the intents out, and the workflows of the batches were woken. */
  readonly open: OpenRows;
  /** When the workflow takes its next turn by itself. Milliseconds since the epoch. Null: only after a wake. */
  readonly nextLookAt: number | null;
  /** Temporal's UI shows this state of the queue, and queues can be found by it. */
  readonly state: string;
  /** Temporal's UI shows this text. */
  readonly details: string;
}

const maxKept = 10_000;

const left = new WeakMap<Database, Map<string, LeftToWorkflow>>();

/** Call it when a turn has returned its work to the workflow. */
export function noteLeftToWorkflow(db: Database, queueId: string, work: LeftToWorkflow): void {
  const kept = left.get(db) ?? new Map<string, LeftToWorkflow>();
  left.set(db, kept);
  if (kept.size >= maxKept) kept.clear();
  kept.set(queueId, work);
}

/** Undefined: no turn of the queue has run in this process. */
export function findLeftToWorkflow(db: Database, queueId: string): LeftToWorkflow | undefined {
  return left.get(db)?.get(queueId);
}

/** Whether a turn leaves something to the workflow that an earlier turn has not left to it. */
export function leavesMore(turn: Omit<LeftToWorkflow, 'details'>, earlier: LeftToWorkflow): boolean {
  const isEarlier = turn.nextLookAt !== null && turn.nextLookAt < (earlier.nextLookAt ?? Infinity);
  return isEarlier || turn.state !== earlier.state || !containsWork(earlier.open, turn.open);
}

/** Whether all intents and batches of `part` are in `whole`, unchanged. */
function containsWork(whole: OpenRows, part: OpenRows): boolean {
  const known = new Set([...whole.intents, ...whole.batches].map((row) => JSON.stringify(row)));
  return [...part.intents, ...part.batches].every((row) => known.has(JSON.stringify(row)));
}

/**
 * Whether it is worth while to plan before the wake. A new build or landing is likely if open work has changed, or if a
 * pull request has entered the line while nothing is built.
 */
export function mayLeaveNothing(
  { open, hasArrivals }: { readonly open: OpenRows; readonly hasArrivals: boolean },
  earlier: LeftToWorkflow,
): boolean {
  if (!containsWork(earlier.open, open)) return false;
  const isStopped = earlier.state !== 'idle' && earlier.state !== 'running';
  return isStopped || open.batches.length > 0 || !hasArrivals;
}
