// The time limit of one attempt of a plan or a leaf. A wait until the worker has room for a command does not count.
import { withoutLimit, type InTurn } from '../../../platform/at-most.ts';
import { longestTimerMs } from '../../../platform/longest-timer.ts';

export interface StepLimit {
  /** Aborted when the work has run for as long as its limit. */
  readonly signal: AbortSignal;
  /** Runs a command when there is room for it. Meanwhile the limit stands still. */
  readonly inTurn: InTurn;
  end(): void;
}

interface LimitedStep {
  readonly limitMs: number;
  /** Limits how many commands run at once. Left out: there is no limit. */
  readonly inTurn?: InTurn | undefined;
  /**
   * Writes that the work ends in `leftMs` at the latest. Null: the work waits, so no end is known. The work begins only
   * after the promise is fulfilled.
   */
  readonly onLeft: (leftMs: number | null) => Promise<void>;
}

/** Starts the limit. The caller has written the first end already. */
export function startStepLimit({ limitMs, inTurn = withoutLimit, onLeft }: LimitedStep): StepLimit {
  const late = new AbortController();
  let leftMs = limitMs;
  let ranSince = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function run(): void {
    if (hasEnded) return;
    ranSince = performance.now();
    timer = setTimeout(() => late.abort(), Math.min(leftMs, longestTimerMs));
  }

  function standStill(): void {
    clearTimeout(timer);
    leftMs = Math.max(0, leftMs - (performance.now() - ranSince));
  }

  run();
  return {
    signal: late.signal,
    inTurn: async (work, { onWait, ...waiting } = {}) => {
      let waits: Promise<void> | null = null;
      const wait = (): void => {
        standStill();
        onWait?.();
        waits = onLeft(null);
        // The work awaits the promise. If the wait ends without work, a failed write does not matter.
        waits.catch(() => {});
      };
      const begin = async (): ReturnType<typeof work> => {
        if (waits !== null) {
          await waits;
          await onLeft(leftMs);
          run();
        }
        return await work();
      };
      return await inTurn(begin, { ...waiting, onWait: wait });
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
