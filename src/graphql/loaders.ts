// Loaders by id: one statement for all simultaneous requests, answered in the order of the requests.
import DataLoader from 'dataloader';

/** Rows with an id in the column `Key`, in any order. */
type Read<Key extends string, Row extends Readonly<Record<Key, string | null>>> = (
  ids: readonly string[],
) => Promise<readonly Row[]>;

/** The row of each id. Null: the account has none. */
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

/** The rows of each id, in the order of the statement. */
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
