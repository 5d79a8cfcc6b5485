// What the planner sees besides the line where builds are no chain: what bets assume, what has moved the tip since they
// were begun, what pull requests affect, and how likely they pass.
import type { Context } from '../../../context.ts';
import { chanceOf, type TrackRecord } from '../../../domain/queue/chance.ts';
import type { Landing, PullRequestState, QueueRules } from '../../../domain/queue/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';

/** Whether builds are bets beside the line, and not a chain. */
export function buildsBets({ speculation, useAffectedTargets }: QueueRules): boolean {
  return speculation === 'adaptive' || useAffectedTargets;
}

export interface Landed {
  readonly id: string;
  readonly commit: string;
  readonly first_parent: string;
}

/**
 * What has moved the tip since the earliest of those commits was the tip, oldest first; as far back as none but landings
 * on record did. Whoever else moved it overlaps everything, and so ends the list.
 */
export async function loadLandings(
  ctx: Context,
  tx: Transaction,
  of: { readonly landed: readonly Landed[]; readonly tip: string; readonly since: readonly string[] },
): Promise<Landing[]> {
  const line = lineSince(of);
  if (line.length === 0) return [];
  const rows = await tx.query<{ landing: string; pullRequest: string; head: string; targets: string[] | null }>(
    `select m.landing_id as landing, m.pull_request_id as "pullRequest", m.pinned_head as head, m.targets
     from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
       left join batch_member b on b.account_id = m.account_id and b.batch_id = l.batch_id and b.pull_request_id = m.pull_request_id
     where m.account_id = $1 and m.landing_id = any($2::bigint[]) order by m.landing_id, b.ordinal`,
    [ctx.accountId, line.map(({ id }) => id)],
  );
  const members = Map.groupBy(rows, (row) => row.landing);
  return line.map(({ id, commit, first_parent }) => ({
    commit,
    firstParent: first_parent,
    members: (members.get(id) ?? []).map(({ pullRequest, head, targets }) => ({ pullRequest, head, targets })),
  }));
}

function lineSince({
  landed,
  tip,
  since,
}: {
  readonly landed: readonly Landed[];
  readonly tip: string;
  readonly since: readonly string[];
}): Landed[] {
  const asked = new Set(since);
  const madeBy = new Map(landed.map((row) => [row.commit, row]));
  const line: Landed[] = [];
  let reached = 0;
  for (let at = madeBy.get(tip); at !== undefined; at = madeBy.get(at.first_parent)) {
    // No commit is its own ancestor, whatever rows say.
    madeBy.delete(at.commit);
    line.push(at);
    if (asked.has(at.first_parent)) reached = line.length;
  }
  return line.slice(0, reached).reverse();
}

/** What those in line affect, by id; who is not in it has not said. */
export async function loadTargets(ctx: Context, tx: Transaction, queueId: string): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; targets: string[] }>(
    `select id, affected_targets as targets from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and affected_targets is not null`,
    [ctx.accountId, queueId],
  );
  return new Map(rows.map(({ id, targets }) => [id, targets]));
}

/** How many of the last to leave the lines of a repository are looked at. */
const mostEnds = 500;

export interface TrackRecords {
  readonly repository: TrackRecord;
  readonly authors: ReadonlyMap<string, TrackRecord>;
}

/** How the last ones ended: merged by a queue, or blocked by their build. Read from the log, whatever queue wrote it. */
export async function loadTrackRecords(ctx: Context, tx: Transaction, repositoryId: string): Promise<TrackRecords> {
  const rows = await tx.query<TrackRecord & { readonly author: string }>(
    `select author, count(*) filter (where action = 'merged')::int as passed, count(*)::int as judged
     from (
       select action, payload->>'author' as author, payload->>'statusCode' as code, payload->>'mergedByQueue' as queued from event
       where account_id = $1 and repository_id = $2 and action in ('merged', 'blocked') order by id desc limit ${mostEnds}) ends
     where author is not null and case action when 'merged' then queued = 'true' else code in ('107', '111') end
     group by author`,
    [ctx.accountId, repositoryId],
  );
  return {
    repository: {
      passed: rows.reduce((sum, { passed }) => sum + passed, 0),
      judged: rows.reduce((sum, { judged }) => sum + judged, 0),
    },
    authors: new Map(rows.map(({ author, passed, judged }) => [author, { passed, judged }])),
  };
}

const unrecorded: TrackRecord = { passed: 0, judged: 0 };

export function chanceBy(records: TrackRecords, author: string): PullRequestState['chance'] {
  return chanceOf({ repository: records.repository, author: records.authors.get(author) ?? unrecorded });
}
