// Deleting by age, in small pieces: each is a transaction of its own under an advisory lock of its kind, so that one
// process at a time deletes, no lock is held for long, and a process that dies leaves nothing behind.
import type { RetainedKind } from '../../domain/retention/catalogue.ts';
import type { Database, SystemQueries } from '../database.ts';
import type { Meter } from '../metrics/index.ts';

export interface RetentionRule {
  readonly kind: RetainedKind;
  /** The tables that it takes rows from. */
  readonly tables: readonly string[];
  /** SQL of one value, the instant that the age of the oldest row counts from. Null: there is no row. */
  readonly oldest: string;
  /** Deletes at most `atOnce` rows for each table. Returns how many; 0: nothing is left. */
  readonly forget: (query: SystemQueries['query'], piece: Piece) => Promise<number>;
}

export interface Piece {
  readonly cutoff: string;
  readonly atOnce: number;
}

interface AgedRows {
  readonly table: string;
  /** Which rows `t` are older than the instant $1. It is checked again when a row has changed in the meantime. */
  readonly old: string;
}

const atOnce = 2_000;
/** The class of the advisory locks: `keep`. */
const lockClass = 0x6b656570;

export function forgetRows(kind: RetainedKind, oldest: string, rows: readonly AgedRows[]): RetentionRule {
  const statements = rows.map(
    ({ table, old }) => `
      with gone as (
        delete from ${table} t where t.ctid = any(array(select t.ctid from ${table} t where ${old} limit $2::int)) and ${old}
        returning 1)
      select count(*)::int as count from gone`,
  );
  return {
    kind,
    tables: [...new Set(rows.map((each) => each.table))],
    oldest,
    forget: async (query, piece) => {
      let count = 0;
      for (const text of statements) count += await countOf(query, text, [piece.cutoff, piece.atOnce]);
      return count;
    },
  };
}

/** What a statement says of the rows that it deleted, under the name `count`. */
export async function countOf(
  query: SystemQueries['query'],
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await query<{ count: number }>(text, values);
  return row?.count ?? 0;
}

/** Returns how many rows it deleted. Another process that deletes the same kind at this moment goes on alone. */
export async function forgetOld(
  { db, meter }: { readonly db: Database; readonly meter: Meter },
  { kind, forget }: RetentionRule,
  { cutoff, signal }: { readonly cutoff: Date; readonly signal?: AbortSignal },
): Promise<number> {
  let total = 0;
  for (;;) {
    if (signal?.aborted === true) return total;
    const deleted = await db.system.transaction(async (query) => {
      const [lock] = await query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1, hashtext($2)) as taken', [
        lockClass,
        kind,
      ]);
      return lock?.taken === true ? await forget(query, { cutoff: cutoff.toISOString(), atOnce }) : null;
    });
    if (deleted === null) return total;
    if (deleted === 0) {
      await noteDone(db, kind);
      return total;
    }
    total += deleted;
    meter.count('interlock_retention_deleted_total', { what: kind }, deleted);
  }
}

/** Every process begins with this: a kind that is never done becomes overdue (src/modules/health). */
export async function noteDue(db: Database, kinds: readonly RetainedKind[]): Promise<void> {
  await db.system.query(
    `insert into retention_due (kind, due_at) select kind, now() + interval '1 day' from unnest($1::text[]) kind
     on conflict do nothing`,
    [kinds],
  );
  await db.system.query('delete from retention_due where kind <> all($1::text[])', [kinds]);
}

async function noteDone(db: Database, kind: RetainedKind): Promise<void> {
  await db.system.query(`update retention_due set due_at = now() + interval '1 day' where kind = $1`, [kind]);
}
