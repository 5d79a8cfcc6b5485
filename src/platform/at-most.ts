export interface WaitingInTurn {
  /** If it is aborted while the work waits, the work never starts, and its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Called if the work must wait. */
  readonly onWait?: () => void;
}

/** Runs work as soon as there is room for it. */
export type InTurn = <T>(work: () => Promise<T>, waiting?: WaitingInTurn) => Promise<T>;

export const withoutLimit: InTurn = async (work) => await work();

/** Runs at most `count` pieces of work at once. Further work waits, and starts in the order in which it was given. */
export function atMost(count: number): InTurn {
  let running = 0;
  const waiting = new Set<() => void>();

  async function wait({ signal, onWait }: WaitingInTurn): Promise<void> {
    signal?.throwIfAborted();
    onWait?.();
    const place = Promise.withResolvers<void>();
    const stop = (): void => {
      waiting.delete(place.resolve);
      place.reject(signal?.reason);
    };
    waiting.add(place.resolve);
    signal?.addEventListener('abort', stop, { once: true });
    await place.promise.finally(() => signal?.removeEventListener('abort', stop));
  }

  return async (work, turn = {}) => {
    if (running >= count) await wait(turn);
    else running += 1;
    try {
      return await work();
    } finally {
      // The place passes to the next one directly, so that no newcomer takes it.
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}
