import { createGroupWriter } from '../../platform/group-writer.ts';
import type { HostRepository } from '../port.ts';

/** Returns a function that stores an item. Items of the same repository and moment are stored by one call of `store`. */
export function createRepositoryWriter<Item>(
  store: (repository: HostRepository, items: readonly Item[]) => Promise<void>,
): (repository: HostRepository, item: Item) => Promise<void> {
  const write = createGroupWriter<{ readonly repository: HostRepository; readonly item: Item }>({
    groupOf: ({ repository }) => repository.id,
    write: async (items) => {
      const [first] = items;
      if (first === undefined) return;
      await store(
        first.repository,
        items.map(({ item }) => item),
      );
    },
  });
  return async (repository, item) => await write({ repository, item });
}
