// Caches rows of tokens, sessions and embed links for a few seconds, so that not every request queries the database.
// The notification that a token, a session or a link has ended removes its row from the cache. When a row is read
// again, the same statement also reads the other rows in use whose time in the cache ends soon.

const knownMs = 5_000;
/** From this age on, a row in use is read again when any other row is read. */
const dueMs = knownMs / 2;
const maxAtOnce = 500;
const maxKnown = 10_000;

export interface KnownRow<Row> {
  readonly row: Row;
  /** When the read of the row began, in milliseconds. */
  readonly readAt: number;
  /** When the token or session was last used, in milliseconds, as far as this process knows. */
  usedAt: number;
  /**
   * The secret that matched this row. A request with the same secret needs no new digest, as long as the row has the
   * same stored digest. Null: no secret has matched yet.
   */
  secret: Buffer | null;
}

export interface KnownRows<Row> {
  /** Undefined: there is no such row, or it has ended. */
  find(key: string, now: number): Promise<KnownRow<Row> | undefined>;
  /** Removes the rows for which `isEnded` is true from the cache. */
  forget(isEnded: (row: Row) => boolean): void;
}

interface CachedRow<Row> extends KnownRow<Row> {
  /** Whether the row was requested since it was read. */
  isInUse: boolean;
}

/**
 * `read` returns the existing rows of the keys, in any order. `hasSameSecret` says whether a row that was read again
 * has the same secret as before.
 */
export function createKnownRows<Row extends { readonly key: string; readonly usedAt: Date | null }>(
  read: (keys: readonly string[]) => Promise<readonly Row[]>,
  hasSameSecret: (before: Row, now: Row) => boolean = () => false,
): KnownRows<Row> {
  /** The cached rows, in the order in which they were read. */
  const known = new Map<string, CachedRow<Row>>();
  const underWay = new Map<string, Promise<void>>();
  let ends = 0;

  /**
   * Returns the keys of rows that are in use and due. Removes rows that are too old and were not requested since they
   * were read.
   */
  function takeDue(now: number): string[] {
    const due: string[] = [];
    for (const [key, { readAt, isInUse }] of known) {
      if (now - readAt < dueMs || due.length === maxAtOnce) break;
      if (isInUse && !underWay.has(key)) due.push(key);
      else if (!isInUse && now - readAt >= knownMs) known.delete(key);
    }
    return due;
  }

  async function readRows(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const before = ends;
    const rows = await read(keys);
    return before === ends ? new Map(rows.map((row) => [row.key, row])) : await readRows(keys);
  }

  async function readAgain(keys: readonly string[], now: number): Promise<void> {
    const rows = await readRows(keys);
    for (const key of keys) {
      const cached = known.get(key);
      const row = rows.get(key);
      known.delete(key);
      if (row === undefined) continue;
      const usedAt = Math.max(row.usedAt?.getTime() ?? 0, cached?.usedAt ?? 0);
      if (known.size >= maxKnown) known.delete(known.keys().next().value as string);
      const secret = cached !== undefined && hasSameSecret(cached.row, row) ? cached.secret : null;
      known.set(key, { row, readAt: now, usedAt, secret, isInUse: false });
    }
  }

  async function startReading(key: string, now: number): Promise<void> {
    const keys = [...new Set([...takeDue(now), key])];
    const reading = readAgain(keys, now).finally(() => {
      for (const each of keys) underWay.delete(each);
    });
    for (const each of keys) underWay.set(each, reading);
    await reading;
  }

  return {
    async find(key, now) {
      const cached = known.get(key);
      const isFresh = cached !== undefined && now - cached.readAt < knownMs;
      if (!isFresh) await (underWay.get(key) ?? startReading(key, now));
      const found = isFresh ? cached : known.get(key);
      if (found !== undefined) found.isInUse = true;
      return found;
    },
    forget(isEnded) {
      ends += 1;
      for (const [key, { row }] of known) if (isEnded(row)) known.delete(key);
    },
  };
}
