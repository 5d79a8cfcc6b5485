// Loaders by id. One statement reads the rows for all ids that are requested at the same time.
import DataLoader from 'dataloader';

/** Reads the rows whose column `Key` is one of the ids, in any order. */
type Read<Key extends string, Row extends Readonly<Record<Key, string | null>>> = (
  ids: readonly string[],
) => Promise<readonly Row[]>;

/** A loader of the row of each id. Null: the account has no such row. */
export function loadOne<Key extends string, Row extends Readonly<Record<Key, string | null>>>(
  key: Key,
  read: Read<Key, Row>,
): DataLoader<string, Row | null> {
  return new DataLoader(
    async (ids) => {
      const found = new Map<string | null, Row>((await read(ids)).map((row) => [row[key], row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false },
  );
}

/** A loader of the rows of each id, in the order of the statement. */
export function loadMany<Key extends string, Row extends Readonly<Record<Key, string | null>>>(
  key: Key,
  read: Read<Key, Row>,
): DataLoader<string, Row[]> {
  return new DataLoader(
    async (ids) => {
      const found = Map.groupBy(await read(ids), (row): string | null => row[key]);
      return ids.map((id) => found.get(id) ?? []);
    },
    { cache: false },
  );
}
