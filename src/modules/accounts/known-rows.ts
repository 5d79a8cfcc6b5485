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
  /** Undefined: the row is not in the cache, so only `find` can tell. */
  peek(key: string, now: number): KnownRow<Row> | undefined;
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
  return new RowCache(read, hasSameSecret);
}

class RowCache<Row extends { readonly key: string; readonly usedAt: Date | null }> implements KnownRows<Row> {
  readonly #read: (keys: readonly string[]) => Promise<readonly Row[]>;
  readonly #hasSameSecret: (before: Row, now: Row) => boolean;
  /** The cached rows, in the order in which they were read. */
  readonly #known = new Map<string, CachedRow<Row>>();
  readonly #underWay = new Map<string, Promise<void>>();
  #ends = 0;

  constructor(
    read: (keys: readonly string[]) => Promise<readonly Row[]>,
    hasSameSecret: (before: Row, now: Row) => boolean,
  ) {
    this.#read = read;
    this.#hasSameSecret = hasSameSecret;
  }

  async find(key: string, now: number): Promise<KnownRow<Row> | undefined> {
    const cached = this.peek(key, now);
    if (cached !== undefined) return cached;
    await (this.#underWay.get(key) ?? this.#startReading(key, now));
    const found = this.#known.get(key);
    if (found !== undefined) found.isInUse = true;
    return found;
  }

  peek(key: string, now: number): KnownRow<Row> | undefined {
    const cached = this.#known.get(key);
    if (cached === undefined || now - cached.readAt >= knownMs) return undefined;
    cached.isInUse = true;
    return cached;
  }

  forget(isEnded: (row: Row) => boolean): void {
    this.#ends += 1;
    for (const [key, { row }] of this.#known) if (isEnded(row)) this.#known.delete(key);
  }

  /**
   * Returns the keys of rows that are in use and due. Removes rows that are too old and were not requested since they
   * were read.
   */
  #takeDue(now: number): string[] {
    const due: string[] = [];
    for (const [key, { readAt, isInUse }] of this.#known) {
      if (now - readAt < dueMs || due.length === maxAtOnce) break;
      if (isInUse && !this.#underWay.has(key)) due.push(key);
      else if (!isInUse && now - readAt >= knownMs) this.#known.delete(key);
    }
    return due;
  }

  async #readRows(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const before = this.#ends;
    const rows = await this.#read(keys);
    return before === this.#ends ? new Map(rows.map((row) => [row.key, row])) : await this.#readRows(keys);
  }

  async #readAgain(keys: readonly string[], now: number): Promise<void> {
    const rows = await this.#readRows(keys);
    for (const key of keys) {
      const cached = this.#known.get(key);
      const row = rows.get(key);
      this.#known.delete(key);
      if (row === undefined) continue;
      const usedAt = Math.max(row.usedAt?.getTime() ?? 0, cached?.usedAt ?? 0);
      if (this.#known.size >= maxKnown) this.#known.delete(this.#known.keys().next().value as string);
      const secret = cached !== undefined && this.#hasSameSecret(cached.row, row) ? cached.secret : null;
      this.#known.set(key, { row, readAt: now, usedAt, secret, isInUse: false });
    }
  }

  async #startReading(key: string, now: number): Promise<void> {
    const keys = [...new Set([...this.#takeDue(now), key])];
    const reading = this.#readAgain(keys, now).finally(() => {
      for (const each of keys) this.#underWay.delete(each);
    });
    for (const each of keys) this.#underWay.set(each, reading);
    await reading;
  }
}
