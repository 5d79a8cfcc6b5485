// What the last turn in this process left to the workflow of a queue. If a plan leaves no more than this, the workflow
// needs no wake (plan-before-wake.ts).
import type { Database } from '../../../platform/database.ts';
import type { OpenRows } from './open-work.ts';
import { createQueueMemory } from './queue-memory.ts';

type Batches = OpenRows['batches'];

export interface LeftToWorkflow {
  /** When PostgreSQL was started. A restored database may be older than what is remembered. */
  readonly server: string;
  /** The batches that are not cleaned up. Their workflows were woken. */
  readonly batches: Batches;
  /** When the workflow takes its next turn by itself. Milliseconds since the epoch. Null: only after a wake. */
  readonly nextLookAt: number | null;
  /** Temporal's UI shows this state of the queue, and queues can be found by it. */
  readonly state: string;
  /** Temporal's UI shows this text. */
  readonly details: string;
}

const left = createQueueMemory<LeftToWorkflow>();

/** Call it when a turn has returned its work to the workflow. */
export function noteLeftToWorkflow(db: Database, queueId: string, work: LeftToWorkflow): void {
  left.keep(db, queueId, work);
}

/** Undefined: nothing is remembered of a turn of the queue. */
export function findLeftToWorkflow(db: Database, queueId: string): LeftToWorkflow | undefined {
  return left.find(db, queueId);
}

/**
 * Forgets what the plan before a needed wake has compared. If the turns of the queue are in another process now, what
 * this process remembers would be outdated for ever.
 */
export function forgetLeftToWorkflow(db: Database, queueId: string, work: LeftToWorkflow): void {
  if (left.find(db, queueId) === work) left.forget(db, queueId);
}

/** The end of a plan. */
interface PlanEnd {
  /** The number of effects that are due. The workflow carries out what a turn returns to it, and nothing else. */
  readonly effects: number;
  readonly batches: Batches;
  readonly nextLookAt: number | null;
  readonly state: string;
}

/** Whether a plan leaves something to the workflow that the last turn has not left to it. */
export function leavesMore({ effects, batches, nextLookAt, state }: PlanEnd, last: LeftToWorkflow): boolean {
  const isEarlier = nextLookAt !== null && nextLookAt < (last.nextLookAt ?? Infinity);
  return effects > 0 || isEarlier || state !== last.state || !containsBatches(last.batches, batches);
}

/** Whether all batches of `part` are in `whole`, unchanged. */
function containsBatches(whole: Batches, part: Batches): boolean {
  const known = new Set(whole.map((row) => JSON.stringify(row)));
  return part.every((row) => known.has(JSON.stringify(row)));
}

/**
 * Whether it is worth while to plan before the wake. A wake is likely to be needed if an effect is due, a batch has
 * changed, or a pull request has entered the line while nothing is built. A halted queue is not planned.
 */
export function mayLeaveNothing(
  { effects, batches, hasArrivals }: Pick<PlanEnd, 'effects' | 'batches'> & { readonly hasArrivals: boolean },
  last: LeftToWorkflow,
): boolean {
  if (effects > 0 || !containsBatches(last.batches, batches) || last.state.startsWith('halted')) return false;
  return last.state === 'paused' || batches.length > 0 || !hasArrivals;
}
