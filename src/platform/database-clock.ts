// The clock of the database. The clocks of machines differ, and one process judges by the instants that another process
// has written: leases, time limits, freezes. So all processes of an installation go by the clock of their database.
import type { Logger } from 'pino';
import type { Database } from './database.ts';

export interface DatabaseClock {
  readonly now: () => Date;
  /** Reads the database's clock. If it does not answer, the difference that was found last stays. */
  readonly compare: () => Promise<void>;
}

export interface DatabaseClockOptions {
  /** Reads the database's clock, in milliseconds since the epoch. */
  readonly read: () => Promise<number>;
  /** The clock of this machine, in milliseconds since the epoch. */
  readonly machine?: () => number;
  /** A clock that is never set and stands still while the machine sleeps, in milliseconds since any instant. */
  readonly steady?: () => number;
  /** Called with a sentence when the machine's clock begins or ends to differ from the database's by a second or more. */
  readonly warn: (sentence: string) => void;
}

/** The clock counts on from the last comparison, so it does not jump if somebody sets the clock of the machine. */
export function createDatabaseClock({
  read,
  machine = () => Date.now(),
  steady = () => Math.floor(performance.timeOrigin + performance.now()),
  warn,
}: DatabaseClockOptions): DatabaseClock {
  const counted = { clock: steady, behindMs: 0 };
  const shown = { clock: machine, behindMs: 0 };
  let saidMs = 0;
  return {
    now: () => new Date(counted.clock() + counted.behindMs),
    async compare() {
      const clocks = [counted, shown].map((each) => ({ each, before: each.clock() }));
      const at = await read();
      for (const { each, before } of clocks) each.behindMs = clamp(each.behindMs, at - each.clock(), at - before);
      if (Math.abs(shown.behindMs - saidMs) < 1_000) return;
      saidMs = shown.behindMs;
      warn(differenceText(shown.behindMs));
    },
  };
}

/**
 * The database read its clock between the two instants that give the bounds. A difference within the bounds stays, so
 * that the clock does not jump back and forth, and stays that of the machine where both have the same clock.
 */
function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export interface OpenDatabaseClockOptions {
  readonly db: Pick<Database, 'system'>;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** If the database does not answer, the clock is that of this machine until a later comparison. */
export async function openDatabaseClock({ db, log, onError }: OpenDatabaseClockOptions): Promise<DatabaseClock> {
  const clock = createDatabaseClock({
    read: async () => {
      const [row] = await db.system.query<{ at: number }>(
        'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at',
      );
      if (row === undefined) throw new Error('The database did not say what time it is.');
      return row.at;
    },
    warn: (sentence) => log.warn(sentence),
  });
  await clock.compare().catch(onError);
  return clock;
}

/** A clock that is right without the database. */
export function withoutComparison(now: () => Date): DatabaseClock {
  return { now, compare: async () => {} };
}

function differenceText(behindMs: number): string {
  if (Math.abs(behindMs) < 1_000) return 'The clock of this machine agrees with the clock of the database again.';
  const by = `${Math.round(Math.abs(behindMs) / 1_000)} s ${behindMs < 0 ? 'ahead of' : 'behind'}`;
  return `The clock of this machine is ${by} the clock of the database. Interlock goes by the clock of the database.`;
}
