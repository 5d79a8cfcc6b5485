// The relay finds rows whose wake or workflow was lost, by the column `next_look_at`: the latest instant at which the
// row must be read again. Every server and worker runs the relay. The process that takes a row sets a later instant, so
// that other processes do not take it too.
import type { Ports, Woken } from '../../context.ts';
import type { Database } from '../database.ts';

export interface DueRow {
  readonly account_id: string;
  readonly id: string;
}

const maxAtOnce = 200;
const againMs = 10_000;

/**
 * Takes rows of a table whose `next_look_at` has passed. Returns their ids and the requested columns. The names of the
 * table and the columns must be constants of the code, and never input of a user.
 */
export async function takeDueRows<Row extends DueRow = DueRow>(
  { db, clock }: { readonly db: Database; readonly clock: () => Date },
  table: string,
  columns: readonly Exclude<keyof Row & string, keyof DueRow>[] = [],
): Promise<Row[]> {
  const now = clock();
  return await db.system.query<Row>(
    `update ${table} t set next_look_at = $2
     from (select account_id, id from ${table} where next_look_at <= $1 order by next_look_at limit $3 for no key update skip locked) due
     where t.account_id = due.account_id and t.id = due.id
     returning ${['account_id', 'id', ...columns].map((column) => `t.${column}`).join(', ')}`,
    [now.toISOString(), new Date(now.getTime() + againMs).toISOString(), maxAtOnce],
  );
}

/** An SQL condition: `takeDue` would take a row of this table. */
export function hasDueRows(table: string): string {
  return `exists (select from ${table} where next_look_at <= $1)`;
}

/** Wakes the due rows of a kind. */
export async function wakeDue<Row extends DueRow = DueRow>(
  ports: Pick<Ports, 'db' | 'clock' | 'wake'>,
  {
    table,
    columns,
    whose,
  }: {
    readonly table: string;
    readonly columns?: readonly Exclude<keyof Row & string, keyof DueRow>[];
    readonly whose: (row: Row) => Woken;
  },
): Promise<void> {
  for (const row of await takeDueRows<Row>(ports, table, columns))
    await ports.wake({ accountId: row.account_id, ...whose(row) });
}
