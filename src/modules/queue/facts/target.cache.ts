// Large sets of targets stay in memory between turns: a line may affect a million of them, which take a second to read,
// and as long again to compare (domain/queue/target-sets.ts), unless the same set is the same array each time.
import type { Context } from '../../../context.ts';

/** Targets, of all sets together; beyond, those not asked for longest are read again. */
const mostKept = 2_000_000;

const sets = new Map<string, readonly string[]>();
let kept = 0;

/** Columns of a row of `Stored`: what is small itself, and of what is large a hash, which the database has in a moment. */
export function targetColumns(column: string): string {
  return `case when pg_column_size(${column}) < 2048 then ${column} end as targets,
    case when pg_column_size(${column}) >= 2048 then hash_array_extended(${column}, 0)::text end as digest`;
}

export interface Stored {
  readonly pullRequest: string;
  /** Null: there are none, or too many. */
  readonly targets: readonly string[] | null;
  /** Null: `targets` says it. */
  readonly digest: string | null;
}

/** What each row is about. `read` is asked for the sets, in order, of those that are not known. */
export async function targetsOfAll<Row extends Stored>(
  ctx: Pick<Context, 'accountId'>,
  rows: readonly Row[],
  read: (unknown: readonly Row[]) => Promise<readonly (readonly string[] | null)[]>,
): Promise<ReadonlyMap<Row, readonly string[] | null>> {
  const keyOf = ({ pullRequest, digest }: Row): string => `${ctx.accountId} ${pullRequest} ${digest}`;
  const found = new Map(rows.map((row) => [row, row.digest === null ? row.targets : recall(keyOf(row))] as const));
  const unknown = rows.filter((row) => found.get(row) === undefined);
  const all = unknown.length === 0 ? [] : await read(unknown);
  for (const [place, row] of unknown.entries()) {
    const targets = all[place] ?? null;
    found.set(row, targets);
    if (targets !== null) keep(keyOf(row), targets);
  }
  return found as ReadonlyMap<Row, readonly string[] | null>;
}

function recall(key: string): readonly string[] | undefined {
  const targets = sets.get(key);
  if (targets === undefined) return undefined;
  sets.delete(key);
  sets.set(key, targets);
  return targets;
}

function keep(key: string, targets: readonly string[]): void {
  kept += targets.length - (sets.get(key)?.length ?? 0);
  sets.set(key, targets);
  for (const [oldest, { length }] of sets) {
    if (kept <= mostKept) return;
    sets.delete(oldest);
    kept -= length;
  }
}
