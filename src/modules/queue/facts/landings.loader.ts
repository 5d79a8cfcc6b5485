// Loads the landings that moved a base branch: the tips of the branch, and the members of each landing.
import type { Context } from '../../../context.ts';
import type { Landing } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { targetColumns, targetsOfAll, type StoredTargets } from './affected-targets.ts';

export interface RecordedLanding {
  readonly id: string;
  readonly commit: string;
  readonly first_parent: string;
}

/** The landings of the last 24 h. */
export async function readLandings(
  ctx: Context,
  tx: Transaction,
  queueId: string,
): Promise<readonly RecordedLanding[]> {
  const since = new Date(ctx.clock().getTime() - 24 * 3_600_000).toISOString();
  return await tx.query<RecordedLanding>(
    'select id, commit, first_parent from landing where account_id = $1 and queue_id = $2 and landed_at > $3',
    [ctx.accountId, queueId, since],
  );
}

/** Commits that were the tip of the base branch in the last 24 h, the present tip included. */
export async function loadLineage(
  ctx: Context,
  tx: Transaction,
  { queueId, tip }: { readonly queueId: string; readonly tip: string },
): Promise<string[]> {
  return lineageOf(await readLandings(ctx, tx, queueId), tip);
}

export function lineageOf(landed: readonly RecordedLanding[], tip: string): string[] {
  return [...new Set([tip, ...landed.flatMap((row) => [row.commit, row.first_parent])])];
}

/** The tip, and the tips before each of our own landings, back to the first commit that somebody else pushed. */
export function ownLineOf(landed: readonly RecordedLanding[], tip: string): string[] {
  const parents = new Map(landed.map((row) => [row.commit, row.first_parent]));
  const line = new Set([tip]);
  for (let at = parents.get(tip); at !== undefined && !line.has(at); at = parents.get(at)) line.add(at);
  return [...line];
}

/**
 * The landings that moved the tip, oldest first. They begin after the earliest commit of `since` that recorded landings
 * connect with the tip. A push by somebody else breaks this connection, because such a push overlaps every pull
 * request.
 */
export async function loadLandings(
  ctx: Context,
  tx: Transaction,
  of: { readonly landed: readonly RecordedLanding[]; readonly tip: string; readonly since: readonly string[] },
): Promise<Landing[]> {
  const line = lineSince(of);
  if (line.length === 0) return [];
  const rows = await tx.query<LandedRow>(
    `select m.landing_id as landing, m.pull_request_id as "pullRequest", m.pinned_head as head, ${targetColumns('m.targets')}
     from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
       left join batch_member b on b.account_id = m.account_id and b.batch_id = l.batch_id and b.pull_request_id = m.pull_request_id
     where m.account_id = $1 and m.landing_id = any($2::bigint[]) order by m.landing_id, b.ordinal`,
    [ctx.accountId, line.map(({ id }) => id)],
  );
  const targets = await targetsOfAll(ctx, rows, async (unknown) => await readLandedTargets(ctx, tx, unknown));
  const members = Map.groupBy(rows, (row) => row.landing);
  return line.map(({ id, commit, first_parent }) => ({
    commit,
    firstParent: first_parent,
    // The members of an imported landing may be unknown.
    members:
      members
        .get(id)
        ?.map((row) => ({ pullRequest: row.pullRequest, head: row.head, targets: targets.get(row) ?? null })) ?? null,
  }));
}

interface LandedRow extends StoredTargets {
  readonly landing: string;
  readonly head: string;
}

async function readLandedTargets(
  ctx: Context,
  tx: Transaction,
  of: readonly LandedRow[],
): Promise<readonly (readonly string[] | null)[]> {
  const rows = await tx.query<{ targets: string[] | null }>(
    `select m.targets from unnest($2::bigint[], $3::bigint[]) with ordinality as asked (landing, pull_request, place)
       left join landed_member m on m.account_id = $1 and m.landing_id = asked.landing and m.pull_request_id = asked.pull_request
     order by asked.place`,
    [ctx.accountId, of.map(({ landing }) => landing), of.map(({ pullRequest }) => pullRequest)],
  );
  return rows.map(({ targets }) => targets);
}

function lineSince({
  landed,
  tip,
  since,
}: {
  readonly landed: readonly RecordedLanding[];
  readonly tip: string;
  readonly since: readonly string[];
}): RecordedLanding[] {
  const searched = new Set(since);
  const madeBy = new Map(landed.map((row) => [row.commit, row]));
  const line: RecordedLanding[] = [];
  let reached = 0;
  for (let at = madeBy.get(tip); at !== undefined; at = madeBy.get(at.first_parent)) {
    // A commit is never its own ancestor. This prevents an endless loop if rows say otherwise.
    madeBy.delete(at.commit);
    line.push(at);
    if (searched.has(at.first_parent)) reached = line.length;
  }
  return line.slice(0, reached).toReversed();
}
