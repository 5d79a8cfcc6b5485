// Events of a repository and its forks are handled one after another, first by the parts, then by the Apps as webhooks. Events of
// other repositories do not wait for them.
import type { Part } from '../part.ts';
import type { HostEvent } from './events.ts';

export interface EventBus {
  readonly emit: (event: HostEvent) => void;
  readonly settled: () => Promise<void>;
  /** Resolves when the events so far have been handled, whatever comes meanwhile. */
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
    // Listeners emit events of their own.
    settled: async () => {
      while (tails.size > 0) await handled();
    },
  };
}

/** A push to a fork moves a pull request of its parent. 0: it is about no repository. */
function familyOf(event: HostEvent): number {
  return 'repository' in event ? (event.repository.parentId ?? event.repository.id) : 0;
}
