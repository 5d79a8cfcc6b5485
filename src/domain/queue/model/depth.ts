// Queue depth (interface 2.9), from the two counters kept on the queue.
import type { QueueRules } from './rules.ts';

export interface Depth {
  readonly queued: number;
  readonly processing: number;
  readonly waiting: number;
}

export function decideDepth(queue: {
  /** Pull requests in status `queued`. */
  readonly waiting: number;
  /** Pull requests in status `tagged`. */
  readonly tagged: number;
  readonly mode: QueueRules['mode'];
  readonly maxParallelBuilds: number | null;
}): Depth {
  const queued = queue.waiting + queue.tagged;
  if (queue.mode !== 'parallel') return { queued, processing: queued, waiting: 0 };
  const processing = Math.min(queue.tagged, queue.maxParallelBuilds ?? queue.tagged);
  return { queued, processing, waiting: queued - processing };
}
