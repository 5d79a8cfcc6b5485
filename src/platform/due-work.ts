// Work that becomes due because of rows, such as a deadline or a lost wake. One statement asks for all kinds of work
// whether some is due, so that an idle process sends one statement a second instead of one for each kind.
import type { Database } from './database.ts';
import { repeat, type Loop } from './repeat.ts';

export interface DueWork {
  /** SQL that is true if some of the work is due. `$1` is the present instant. It should read one row of an index. */
  readonly isDue: string;
  /** Does what is due in all accounts. Every process may do it at the same time. */
  readonly act: () => Promise<unknown>;
}

export interface DueWorkOptions {
  readonly db: Pick<Database, 'system'>;
  readonly clock: () => Date;
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks for due work every `everyMs`. Work that takes long does not delay other kinds, and is not started again before
 * it has ended.
 */
export function lookForDueWork(works: readonly DueWork[], { db, clock, everyMs, onError }: DueWorkOptions): Loop {
  const running = new Map<DueWork, Promise<void>>();
  // `$1` must be used, even if no condition uses it. Otherwise PostgreSQL could not infer its type.
  const text = `select $1::timestamptz as at, array[${works.map(({ isDue }) => `(${isDue})`).join(', ')}]::boolean[] as due`;

  async function look(): Promise<void> {
    const [row] = await db.system.query<{ due: readonly boolean[] }>(text, [clock().toISOString()]);
    for (const [at, work] of works.entries()) if (row?.due[at] === true && !running.has(work)) begin(work);
  }

  function begin(work: DueWork): void {
    const ended = work
      .act()
      .then(() => {}, onError)
      .finally(() => running.delete(work));
    running.set(work, ended);
  }

  const loop = repeat(everyMs, look, onError);
  return {
    start: () => loop.start(),
    async stop() {
      await loop.stop();
      await Promise.all(running.values());
    },
  };
}
