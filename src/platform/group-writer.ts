// Combines writes: items of a group that arrive in the same turn of the event loop, or while a write of the group is in
// progress, are written together. `gather` can wait for further items.
import { setImmediate } from 'node:timers/promises';

async function endOfTurn(): Promise<void> {
  await setImmediate();
}

interface Waiting<Item> {
  readonly item: Item;
  readonly written: PromiseWithResolvers<void>;
}

/**
 * Returns a function that writes an item. Its promise resolves or rejects with the outcome of this item. `groupOf`
 * returns the name of an item's group, and groups do not wait for each other. `gather` is called with the name of a
 * group that has items, and its promise resolves when they shall be written. If a write of several items fails, each
 * item is written again alone, so that one item cannot make the others fail. Therefore `write` may receive an item
 * twice.
 */
export function createGroupWriter<Item>({
  groupOf,
  gather = endOfTurn,
  write,
}: {
  readonly groupOf: (item: Item) => string;
  readonly gather?: (group: string) => Promise<void>;
  readonly write: (items: readonly Item[]) => Promise<void>;
}): (item: Item) => Promise<void> {
  const groups = new Map<string, Waiting<Item>[]>();

  async function settle(items: readonly Waiting<Item>[]): Promise<void> {
    try {
      await write(items.map(({ item }) => item));
      for (const { written } of items) written.resolve();
    } catch (error) {
      if (items.length === 1) items[0]?.written.reject(error);
      else for (const item of items) await settle([item]);
    }
  }

  async function writeGroup(name: string, waiting: Waiting<Item>[]): Promise<void> {
    while (waiting.length > 0) {
      await gather(name);
      await settle(waiting.splice(0));
    }
    groups.delete(name);
  }

  return async (item) => {
    const written = Promise.withResolvers<void>();
    const name = groupOf(item);
    const waiting = groups.get(name);
    if (waiting === undefined) {
      const first = [{ item, written }];
      groups.set(name, first);
      void writeGroup(name, first);
    } else waiting.push({ item, written });
    await written.promise;
  };
}
