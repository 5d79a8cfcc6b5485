// Loads the affected targets of pull requests. Keeps large sets in memory between turns, and returns the same array for
// the same set. A line may affect a million targets. Reading them takes a second. Comparing them takes another second,
// unless the arrays are the same: target-sets.ts remembers its results by array.
import type { Context } from '../../../context.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import type { Transaction } from '../../../platform/database.ts';

/**
 * The targets of the pull requests in line, by id. A pull request whose targets were not reported is absent. Flush the
 * unit of work before you call this function or `loadTargetsOf`, because both read the database directly.
 */
export async function loadTargets(
  ctx: Context,
  tx: Transaction,
  queueId: string,
): Promise<ReadonlyMap<string, Targets>> {
  const rows = await tx.query<StoredTargets>(
    `select id as "pullRequest", ${targetColumns('affected_targets')} from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and affected_targets is not null`,
    [ctx.accountId, queueId],
  );
  return await targetsOfRows(ctx, tx, rows);
}

/**
 * The targets of these pull requests, whether in line or not, by id. A pull request without reported targets is absent.
 */
export async function loadTargetsOf(
  ctx: Context,
  tx: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Targets>> {
  const rows = await tx.query<StoredTargets>(
    `select id as "pullRequest", ${targetColumns('affected_targets')} from pull_request
     where account_id = $1 and id = any($2::bigint[]) and affected_targets is not null`,
    [ctx.accountId, ids],
  );
  return await targetsOfRows(ctx, tx, rows);
}

async function targetsOfRows(
  ctx: Context,
  tx: Transaction,
  rows: readonly StoredTargets[],
): Promise<ReadonlyMap<string, Targets>> {
  const targets = await targetsOfAll(ctx, rows, async (missing) => {
    const read = await tx.query<{ targets: string[] | null }>(
      `select p.affected_targets as targets from unnest($2::bigint[]) with ordinality as asked (id, place)
         left join pull_request p on p.account_id = $1 and p.id = asked.id order by asked.place`,
      [ctx.accountId, missing.map(({ pullRequest }) => pullRequest)],
    );
    return read.map((row) => row.targets);
  });
  return new Map(rows.map((row) => [row.pullRequest, targets.get(row) ?? null]));
}

/** The largest number of targets in memory. Above it, the least recently used sets are dropped. */
const maxKept = 2_000_000;

const sets = new Map<string, readonly string[]>();

let kept = 0;

/**
 * Returns SQL for the columns `targets` and `digest` of `StoredTargets`. A small set is read whole. Of a large set only
 * a hash is read, which the database computes quickly.
 */
export function targetColumns(column: string): string {
  return `case when pg_column_size(${column}) < 2048 then ${column} end as targets,
    case when pg_column_size(${column}) >= 2048 then hash_array_extended(${column}, 0)::text end as digest`;
}

export interface StoredTargets {
  readonly pullRequest: string;
  /** Null: no targets were reported, or the set is so large that only `digest` was read. */
  readonly targets: readonly string[] | null;
  /** The hash of a large set. Null: `targets` has the set, or no targets were reported. */
  readonly digest: string | null;
}

/**
 * Returns the targets of each row. `read` gets the rows whose sets are not in memory, and returns the sets in that
 * order.
 */
export async function targetsOfAll<Row extends StoredTargets>(
  ctx: Pick<Context, 'accountId'>,
  rows: readonly Row[],
  read: (missing: readonly Row[]) => Promise<readonly (readonly string[] | null)[]>,
): Promise<ReadonlyMap<Row, readonly string[] | null>> {
  const keyOf = ({ pullRequest, digest }: Row): string => `${ctx.accountId} ${pullRequest} ${digest}`;
  const found = new Map(rows.map((row) => [row, row.digest === null ? row.targets : recall(keyOf(row))] as const));
  const missing = rows.filter((row) => found.get(row) === undefined);
  const all = missing.length === 0 ? [] : await read(missing);
  for (const [place, row] of missing.entries()) {
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
    if (kept <= maxKept) return;
    sets.delete(oldest);
    kept -= length;
  }
}
