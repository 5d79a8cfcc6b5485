// Work that a process repeats for as long as it runs.
export interface Loop {
  start(): void;
  /** Resolves when the loop has stopped and its last run has ended. */
  stop(): Promise<void>;
}

/**
 * Does the work at once, and again `everyMs` after each run has ended. An error does not end the loop. The signal is
 * aborted when the loop is stopped.
 */
export function repeat(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Loop {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const turn = (): void => {
    running = work(stopping.signal)
      .then(() => {}, onError)
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(turn, everyMs);
      });
  };
  return {
    start: turn,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** One loop that starts and stops all of the loops. */
export function together(loops: readonly Loop[]): Loop {
  return {
    start: () => {
      for (const loop of loops) loop.start();
    },
    stop: async () => void (await Promise.all(loops.map(async (loop) => await loop.stop()))),
  };
}
