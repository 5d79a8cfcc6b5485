// Runs the pushes of a repository one at a time. GitHub recommends at most six pushes a minute. Pushes of landings come
// before clean-ups.
import { setTimeout as delay } from 'node:timers/promises';
import { CallGivenBack } from '../port.ts';

export interface PushPace {
  /** The most pushes in a minute. As many may start at once. */
  readonly perMinute: number;
  /** How long deletions are collected, so that one push makes them all. */
  readonly gatherMs: number;
}

export const defaultPace: PushPace = { perMinute: 6, gatherMs: 60_000 };

export type PushPriority = 'landing' | 'other';

interface Waiting {
  readonly priority: PushPriority;
  readonly run: () => Promise<void>;
  readonly giveBack: () => void;
}

/**
 * Starts pushes in the order of their priority. A push starts when the one before has ended and the pace allows another
 * one. After `stopping` is aborted, a push that the pace does not allow yet is given back.
 */
export interface PushLane {
  push<T>(priority: PushPriority, work: () => Promise<T>): Promise<T>;
}

export function createPushLane({ perMinute }: PushPace, stopping: AbortSignal): PushLane {
  const waiting: Waiting[] = [];
  const startedAt: number[] = [];
  let isRunning = false;

  async function work(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      for (;;) {
        const index = Math.max(
          0,
          waiting.findIndex(({ priority }) => priority === 'landing'),
        );
        const waitMs = waiting.length === 0 ? 0 : waitBefore(startedAt, perMinute, Date.now());
        if (waitMs > 0) {
          await delay(waitMs, undefined, { signal: stopping }).catch(() => {
            for (const each of waiting.splice(0)) each.giveBack();
          });
          continue;
        }
        const [next] = waiting.splice(index, 1);
        if (next === undefined) return;
        startedAt.push(Date.now());
        if (startedAt.length > perMinute) startedAt.shift();
        await next.run();
      }
    } finally {
      isRunning = false;
    }
  }

  return {
    push: async (priority, push) =>
      await new Promise((resolve, reject) => {
        waiting.push({
          priority,
          run: async () => await push().then(resolve, reject),
          giveBack: () => reject(new CallGivenBack()),
        });
        void work();
      }),
  };
}

/** Milliseconds until another push may start. `startedAt` has the instants of the latest starts, the oldest first. */
export function waitBefore(startedAt: readonly number[], perMinute: number, now: number): number {
  // An instant in the future was stored before the clock was set back, and is ignored.
  const known = startedAt.filter((at) => at <= now);
  const [oldest] = known;
  if (oldest === undefined || known.length < perMinute) return 0;
  return Math.max(0, oldest + 60_000 - now);
}
