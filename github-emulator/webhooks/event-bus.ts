// Handles the events of a repository and its forks one after another. The parts get each event first, and then it
// becomes a webhook. Events of other repositories do not wait for these events.
import type { Part } from '../part.ts';
import type { HostEvent } from './events.ts';

export interface EventBus {
  readonly emit: (event: HostEvent) => void;
  readonly settled: () => Promise<void>;
  /** Resolves when all events that were emitted before the call have been handled. */
  readonly handled: () => Promise<void>;
}

export function createEventBus(
  listeners: () => readonly NonNullable<Part['onEvent']>[],
  fail: (error: unknown) => void,
): EventBus {
  const tails = new Map<number, Promise<void>>();
  const handle = async (event: HostEvent): Promise<void> => {
    for (const listener of listeners()) {
      try {
        await listener(event);
      } catch (error) {
        fail(error);
      }
    }
  };
  const handled = async (): Promise<void> => void (await Promise.all(tails.values()));
  return {
    emit: (event) => {
      const family = familyOf(event);
      const tail = (tails.get(family) ?? Promise.resolve()).then(async () => await handle(event));
      tails.set(family, tail);
      void tail.then(() => tails.get(family) === tail && tails.delete(family));
    },
    handled,
    // Listeners may emit further events, so the wait repeats until no event is left.
    settled: async () => {
      while (tails.size > 0) await handled();
    },
  };
}

/**
 * The repository whose events must stay in order. A fork belongs to its parent, because a push to a fork changes pull
 * requests of the parent. 0: the event is not about a repository.
 */
function familyOf(event: HostEvent): number {
  return 'repository' in event ? (event.repository.parentId ?? event.repository.id) : 0;
}
