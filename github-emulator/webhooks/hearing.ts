// Events are heard one after another, first by the parts, then by the Apps as webhooks.
import type { Part } from '../part.ts';
import type { HostEvent } from './events.ts';

export interface Hearing {
  readonly emit: (event: HostEvent) => void;
  readonly settled: () => Promise<void>;
  /** Resolves when the events so far have been heard, whatever comes meanwhile. */
  readonly heard: () => Promise<void>;
}

export function createHearing(
  listeners: () => readonly NonNullable<Part['hear']>[],
  fail: (error: unknown) => void,
): Hearing {
  let tail: Promise<void> = Promise.resolve();
  const hear = async (event: HostEvent): Promise<void> => {
    for (const listener of listeners()) {
      try {
        await listener(event);
      } catch (error) {
        fail(error);
      }
    }
  };
  return {
    emit: (event) => void (tail = tail.then(async () => await hear(event))),
    heard: async () => await tail,
    settled: async () => {
      // Listeners emit events of their own.
      for (let seen: Promise<void> | undefined; seen !== tail; ) {
        seen = tail;
        await seen;
      }
    },
  };
}
