// Keeps rows of tokens and sessions for a few seconds, so that not every request asks the database. A notification that
// a token or session has ended overrides its kept row. A caller that reads its row again also reads the other rows that
// are in use and due soon: one statement for all of them instead of one for each caller.

const knownMs = 5_000;
/** From this age on a row that is in use is read again together with another one. */
const dueMs = knownMs / 2;
const mostAtOnce = 500;
const mostKnown = 10_000;

export interface KnownRow<Row> {
  readonly row: Row;
  /** When its read began. */
  readonly readAt: number;
  /** When the row was last used, as far as this process knows. */
  usedAt: number;
  /** The secret that matched this row: until another secret belongs to it, a comparison with it suffices. */
  secret: Buffer | null;
}

export interface KnownRows<Row> {
  /** Undefined: there is no such row, or it has ended. */
  find(key: string, now: number): Promise<KnownRow<Row> | undefined>;
  /** Forgets the rows that `isEnded`. */
  forget(isEnded: (row: Row) => boolean): void;
}

interface Kept<Row> extends KnownRow<Row> {
  /** Whether anybody asked for it since it was read. */
  isInUse: boolean;
}

/**
 * `read` returns the rows that there are of these keys, in any order. `hasSameSecret`: whether a row still has the
 * secret that it had when it was read before.
 */
export function createKnownRows<Row extends { readonly key: string; readonly usedAt: Date | null }>(
  read: (keys: readonly string[]) => Promise<readonly Row[]>,
  hasSameSecret: (before: Row, now: Row) => boolean = () => false,
): KnownRows<Row> {
  /** The row that was read longest ago comes first. */
  const known = new Map<string, Kept<Row>>();
  const underWay = new Map<string, Promise<void>>();
  let ends = 0;

  /** Rows that nobody asked for since they were read are forgotten when they are too old. */
  function takeDue(now: number): string[] {
    const due: string[] = [];
    for (const [key, { readAt, isInUse }] of known) {
      if (now - readAt < dueMs || due.length === mostAtOnce) break;
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
      if (known.size >= mostKnown) known.delete(known.keys().next().value as string);
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
