// Deletes old rows in small pieces. Each piece is a transaction under the advisory lock of its kind. Therefore only one
// process at a time deletes rows of a kind, and no lock is held for long, even if a process dies.
import type { RetainedKind } from '../../domain/retention/catalogue.ts';
import type { Database, SystemQueries } from '../database.ts';
import type { Meter } from '../metrics/index.ts';

export interface RetentionRule {
  readonly kind: RetainedKind;
  /** The tables from which rows are deleted. */
  readonly tables: readonly string[];
  /**
   * An SQL query of one value: the instant from which the age of the oldest row counts. The value is null if there is
   * no row.
   */
  readonly oldest: string;
  /** Deletes at most `atOnce` rows of each table. Returns the number of deleted rows. 0: no old rows are left. */
  readonly forget: (query: SystemQueries['query'], piece: Piece) => Promise<number>;
}

export interface Piece {
  readonly cutoff: string;
  readonly atOnce: number;
}

interface AgedRows {
  readonly table: string;
  /**
   * An SQL condition on rows `t`: older than the instant $1. It is checked again for a row that changed in the
   * meantime.
   */
  readonly old: string;
}

const atOnce = 2_000;
/** The class of the advisory locks: the letters `keep`. */
const lockClass = 0x6b656570;

export function ruleForRows(kind: RetainedKind, oldest: string, rows: readonly AgedRows[]): RetentionRule {
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
      for (const text of statements) count += await countDeletedRows(query, text, [piece.cutoff, piece.atOnce]);
      return count;
    },
  };
}

/** Runs a statement and returns its column `count`, the number of deleted rows. */
export async function countDeletedRows(
  query: SystemQueries['query'],
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await query<{ count: number }>(text, values);
  return row?.count ?? 0;
}

/**
 * Deletes all rows of a kind that are older than `cutoff`. Returns the number of rows that this process deleted. If
 * another process deletes rows of the same kind, this process leaves the rest to it.
 */
export async function deleteOldRows(
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

/**
 * Records that each kind is due within a day. Every process calls this at its start, so that a kind which is never
 * deleted is reported as overdue (src/modules/health).
 */
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
