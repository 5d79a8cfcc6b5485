// Keeps a long line in memory between the turns of a process. A turn first reads a digest of the row versions of every
// part of the line; a part has sixty-four places. Then the turn reads only the rows of parts whose digest has changed
// (docs/adr/0084-long-lines.md). A row that changes between the two reads is read in its new version, and its part is
// read again in the next turn.
import type { Context } from '../../../context.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import type { Database, Transaction } from '../../../platform/database.ts';
import { isWanted, lineColumns, readWantedRows, type WantedRows, type LineRow } from '../store/line.rows.ts';
import type { QueueRow } from '../store/queue.entities.ts';
import { loadBuilds } from './builds.loader.ts';

/** A line with fewer pull requests is not kept in memory. One statement reads it whole. */
const keptFrom = 100;

/** The number of pull requests in all kept lines of a database. Above it, the least recently read lines are dropped. */
const maxKept = 30_000;

interface KeptRow extends LineRow {
  /** When the merge was requested, in seconds since the epoch. Infinity: nobody has requested it. */
  readonly requestedAt: number;
}

interface Kept<Fact> {
  /** The digest of each part of the line. */
  readonly digests: ReadonlyMap<string, string>;
  readonly facts: ReadonlyMap<string, readonly Fact[]>;
}

interface KeptLine {
  /** How many pull requests the line has, pending ones included. */
  readonly size: number;
  readonly rows: Kept<KeptRow>;
  readonly heads: Kept<BuildState> | null;
}

const nothing = { digests: new Map<string, string>(), facts: new Map<string, never[]>() };

const lines = new WeakMap<Database, Map<string, KeptLine>>();

export type LineOf = Pick<QueueRow, 'id' | 'repositoryId' | 'waiting' | 'tagged'>;

/** Builds of the heads in line, by head commit. Null: the line is short, and its builds were not read. */
export type HeadBuilds = ReadonlyMap<string, BuildState> | null;

export interface LineRead {
  readonly wanted: WantedRows;
  readonly heads: HeadBuilds;
}

/**
 * Like `readWantedRows`, and for a long line also the builds of its heads. The caller holds the queue's lock, and its
 * transaction has not yet written rows of the line, because the rows that are read here are kept.
 */
export async function readKeptLine(ctx: Context, tx: Transaction, queue: LineOf): Promise<LineRead> {
  if (queue.waiting + queue.tagged < keptFrom) return { wanted: await readWantedRows(ctx, tx, queue.id), heads: null };
  const kept = linesOf(ctx.db).get(queue.id);
  const rows = await readRows(ctx, tx, { queue, kept: kept?.rows ?? nothing });
  const heads = await readHeads(ctx, tx, { queue, kept: kept?.heads ?? nothing, rows });
  const wanted = wantedOf(rows);
  keep(ctx.db, queue.id, { size: wanted.line.length + wanted.pending.length, rows, heads });
  return { wanted, heads: byCommit(heads) };
}

/**
 * Like `readKeptLine` without the builds, for a transaction that has written rows of the line. The rows are not kept.
 */
export async function readWrittenLine(ctx: Context, tx: Transaction, queue: LineOf): Promise<WantedRows> {
  const kept = linesOf(ctx.db).get(queue.id);
  if (kept === undefined) return await readWantedRows(ctx, tx, queue.id);
  return wantedOf(await readRows(ctx, tx, { queue, kept: kept.rows }));
}

function byCommit({ facts }: Kept<BuildState>): ReadonlyMap<string, BuildState> {
  const builds = new Map<string, BuildState>();
  for (const part of facts.values()) for (const build of part) builds.set(build.commit, build);
  return builds;
}

function linesOf(db: Database): Map<string, KeptLine> {
  const known = lines.get(db);
  if (known !== undefined) return known;
  const made = new Map<string, KeptLine>();
  lines.set(db, made);
  return made;
}

function keep(db: Database, queueId: string, line: KeptLine): void {
  const all = linesOf(db);
  all.delete(queueId);
  all.set(queueId, line);
  const sizes = [...all].map(([id, { size }]) => ({ id, size }));
  let total = sizes.reduce((sum, { size }) => sum + size, 0);
  for (const { id, size } of sizes) {
    if (total <= maxKept) return;
    all.delete(id);
    total -= size;
  }
}

/**
 * SQL: the number of a row's part. Sixty-four places in line are a part. All pull requests without a place are part -1.
 */
const partOf = 'coalesce(p.rank >> 6, -1)';

/**
 * SQL: a digest of the version of a row. While a PostgreSQL server runs, no two versions of a row have the same
 * transaction and the same place in the table. `serverStart` is part of the digest too, because a server that is
 * restored to an earlier state starts again.
 */
function versionOf(alias: string): string {
  return `hashtidextended(${alias}.ctid, ${alias}.xmin::text::bigint)`;
}

const serverStart = 'pg_postmaster_start_time()';

interface Part {
  readonly part: string;
  readonly digest: string;
}

/** Returns the kept facts of each part whose digest has not changed, and the result of `read` for the other parts. */
async function readChanged<Fact>(
  kept: Kept<Fact>,
  parts: readonly Part[],
  read: (changed: readonly string[]) => Promise<ReadonlyMap<string, readonly Fact[]>>,
): Promise<Kept<Fact>> {
  const changed = parts.flatMap(({ part, digest }) => (kept.digests.get(part) === digest ? [] : [part]));
  const freshFacts = changed.length === 0 ? new Map<string, readonly Fact[]>() : await read(changed);
  return {
    digests: new Map(parts.map(({ part, digest }) => [part, digest])),
    facts: new Map(parts.map(({ part }) => [part, freshFacts.get(part) ?? kept.facts.get(part) ?? []])),
  };
}

async function readRows(
  ctx: Context,
  tx: Transaction,
  { queue, kept }: { readonly queue: LineOf; readonly kept: Kept<KeptRow> },
): Promise<Kept<KeptRow>> {
  const parts = await tx.query<Part>(
    `select ${partOf}::text as part, ${serverStart} || ' ' || count(*) || ' ' || bit_xor(${versionOf('p')}) as digest
     from pull_request p where account_id = $1 and queue_id = $2 and ${isWanted} group by 1`,
    [ctx.accountId, queue.id],
  );
  return await readChanged(kept, parts, async (changed) => {
    const rows = await tx.query<KeptRow & { readonly part: string }>(
      `select ${lineColumns}, coalesce(extract(epoch from merge_requested_at), 'infinity')::float8 as "requestedAt", ${partOf}::text as part
       from pull_request p where account_id = $1 and queue_id = $2 and ${isWanted} and ${partOf} = any($3::bigint[])`,
      [ctx.accountId, queue.id, changed],
    );
    return Map.groupBy(rows, ({ part }) => part);
  });
}

async function readHeads(
  ctx: Context,
  tx: Transaction,
  of: { readonly queue: LineOf; readonly kept: Kept<BuildState>; readonly rows: Kept<KeptRow> },
): Promise<Kept<BuildState>> {
  const { id: queueId, repositoryId } = of.queue;
  const parts = await tx.query<Part>(
    `select ${partOf}::text as part,
            ${serverStart} || ' ' || count(*) || ' ' || bit_xor(${versionOf('b')}) || ' ' || sum(c.checks) || ' ' || coalesce(bit_xor(c.digest), 0)
              || ' ' || coalesce(bit_xor(o.digest), 0) as digest
     from pull_request p join build b on b.account_id = $1 and b.repository_id = $3 and b.commit = p.head_sha
     cross join lateral (
       select count(*) as checks, bit_xor(${versionOf('r')}) as digest from check_result r
       where r.account_id = $1 and r.repository_id = $3 and r.commit = p.head_sha) c
     cross join lateral (
       select bit_xor(${versionOf('h')}) as digest from pull_request h
       where h.account_id = $1 and h.repository_id = $3 and h.head_sha = p.head_sha and h.other_base_until is not null) o
     where p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged') group by 1`,
    [ctx.accountId, queueId, repositoryId],
  );
  return await readChanged(of.kept, parts, async (changed) => {
    const partsOfHead = new Map<string, string[]>();
    for (const part of changed)
      for (const { headSha, status } of of.rows.facts.get(part) ?? [])
        if (status !== 'pending') partsOfHead.set(headSha, [...(partsOfHead.get(headSha) ?? []), part]);
    const builds = await loadBuilds(ctx, tx, { repositoryId, commits: [...partsOfHead.keys()], trees: [] });
    const found = new Map<string, BuildState[]>(changed.map((part) => [part, []]));
    for (const build of builds) for (const part of partsOfHead.get(build.commit) ?? []) found.get(part)?.push(build);
    return found;
  });
}

/** Returns the kept rows in the order in which `readWantedRows` reads them. */
function wantedOf({ facts }: Kept<KeptRow>): WantedRows {
  const pending: KeptRow[] = [];
  const line: KeptRow[] = [];
  for (const rows of facts.values()) for (const row of rows) (row.status === 'pending' ? pending : line).push(row);
  return {
    pending: pending.sort(compareRequests),
    line: line.sort((a, b) => a.rank - b.rank || compareRequests(a, b)),
  };
}

function compareRequests(a: KeptRow, b: KeptRow): number {
  if (a.requestedAt !== b.requestedAt) return a.requestedAt < b.requestedAt ? -1 : 1;
  return Number(a.id) - Number(b.id);
}
