// Rows of tokens and sessions that were just read, so that not every request asks the database. An end that is announced
// in between overrides what was read.

const knownMs = 5_000;
const mostKnown = 10_000;

export interface KnownRow<Row> {
  readonly row: Row;
  readonly readAt: number;
  /** When the row was last used, as far as this process knows. */
  usedAt: number;
  /** The secret that matched this row: until the row is read again, a comparison with it suffices. */
  secret: Buffer | null;
}

export interface KnownRows<Row> {
  /** Undefined: there is no such row, or it has ended. */
  find(key: string, now: number): Promise<KnownRow<Row> | undefined>;
  /** Forgets the rows that `isEnded`. */
  forget(isEnded: (row: Row) => boolean): void;
}

export function createKnownRows<Row extends { readonly usedAt: Date | null }>(
  read: (key: string) => Promise<Row | undefined>,
): KnownRows<Row> {
  const known = new Map<string, KnownRow<Row>>();
  let ends = 0;

  async function find(key: string, now: number): Promise<KnownRow<Row> | undefined> {
    const cached = known.get(key);
    if (cached && now - cached.readAt < knownMs) return cached;
    const before = ends;
    const row = await read(key);
    known.delete(key);
    if (row === undefined) return undefined;
    if (before !== ends) return await find(key, now);
    const usedAt = Math.max(row.usedAt?.getTime() ?? 0, cached?.usedAt ?? 0);
    const found = { row, readAt: now, usedAt, secret: null };
    if (known.size >= mostKnown) known.delete(known.keys().next().value as string);
    known.set(key, found);
    return found;
  }

  return {
    find,
    forget(isEnded) {
      ends += 1;
      for (const [key, { row }] of known) if (isEnded(row)) known.delete(key);
    },
  };
}
