// Reads again when asked to, one read at a time and not too often: many changes make one read.
import { setTimeout as delay } from 'node:timers/promises';

const restMs = 300;

export interface Reader {
  readonly ask: () => void;
  /** Rejects when a read fails. */
  readonly failed: Promise<never>;
}

export function createReader(read: () => Promise<void>): Reader {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let isAsked = false;
  let isReading = false;
  const run = async (): Promise<void> => {
    isReading = true;
    while (isAsked) {
      isAsked = false;
      await read();
      await delay(restMs);
    }
    isReading = false;
  };
  return {
    failed,
    ask() {
      isAsked = true;
      if (!isReading) run().catch(reject);
    },
  };
}
