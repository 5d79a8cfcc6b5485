// Subscriptions to a log look for new pieces several times a second. All subscriptions of a server that have read the log
// to its end share a look, so that the number of statements depends on the number of logs, not on that of subscriptions.
import type { LogPage, LogRead } from '../platform/log-pieces.ts';

export const lookEveryMs = 400;

/** Reads pieces, oldest first. Null: the account has no such log. */
export type ReadLogAfter = (page: LogPage) => Promise<LogRead | null>;

export interface LogEnds {
  /**
   * Returns a read of the pieces after a piece, whose result may be as old as `lookEveryMs`. The reader checks its own
   * rights.
   */
  share(key: string, read: ReadLogAfter): ReadLogAfter;
}

interface Look {
  readonly at: number;
  readonly after: bigint;
  readonly found: Promise<LogRead | null>;
}

export function createLogEnds(now = (): number => performance.now()): LogEnds {
  const looks = new Map<string, Look>();
  const isFresh = ({ at }: Look): boolean => now() - at < lookEveryMs;

  return {
    share: (key, read) => async (page) => {
      const after = BigInt(page.after);
      const known = looks.get(key);
      // A look after an earlier piece has the pieces of this reader. A cursor that no piece has yet is later than all.
      if (known !== undefined && isFresh(known) && known.after <= after) {
        const found = await known.found;
        if (found === null) return null;
        // Without all pieces up to the end of the log, `isOver` does not hold for this reader.
        if (found.pieces.length >= page.size) return await read(page);
        return { ...found, pieces: found.pieces.filter(({ id }) => BigInt(id) > after) };
      }
      for (const [other, look] of looks) if (!isFresh(look)) looks.delete(other);
      const found = read(page);
      looks.set(key, { at: now(), after, found });
      return await found;
    },
  };
}
