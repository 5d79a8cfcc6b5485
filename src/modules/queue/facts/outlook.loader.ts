// What the planner knows of pull requests where builds are no chain: what they affect, and how likely they pass.
import type { Context } from '../../../context.ts';
import { estimateSuccessProbability, type TrackRecord } from '../../../domain/queue/model/success-probability.ts';
import { judgeBuild } from '../../../domain/queue/evidence/evidence.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import type { PullRequestState, QueueRules } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadBuilds } from './build.records.ts';
import type { QueueRow } from '../store/queue.entities.ts';
import { targetColumns, targetsOfAll, type Stored } from './target.cache.ts';

/** What those in line affect, by id; who is not in it has not said. Flush before, as for all of these. */
export async function loadTargets(
  ctx: Context,
  tx: Transaction,
  queueId: string,
): Promise<ReadonlyMap<string, Targets>> {
  const rows = await tx.query<Stored>(
    `select id as "pullRequest", ${targetColumns('affected_targets')} from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and affected_targets is not null`,
    [ctx.accountId, queueId],
  );
  return await targetsOfRows(ctx, tx, rows);
}

/** What these affect, by id, wherever they stand. */
export async function loadTargetsOf(
  ctx: Context,
  tx: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Targets>> {
  const rows = await tx.query<Stored>(
    `select id as "pullRequest", ${targetColumns('affected_targets')} from pull_request
     where account_id = $1 and id = any($2::bigint[]) and affected_targets is not null`,
    [ctx.accountId, ids],
  );
  return await targetsOfRows(ctx, tx, rows);
}

async function targetsOfRows(
  ctx: Context,
  tx: Transaction,
  rows: readonly Stored[],
): Promise<ReadonlyMap<string, Targets>> {
  const targets = await targetsOfAll(ctx, rows, async (unknown) => {
    const read = await tx.query<{ targets: string[] | null }>(
      `select p.affected_targets as targets from unnest($2::bigint[]) with ordinality as asked (id, place)
         left join pull_request p on p.account_id = $1 and p.id = asked.id order by asked.place`,
      [ctx.accountId, unknown.map(({ pullRequest }) => pullRequest)],
    );
    return read.map((row) => row.targets);
  });
  return new Map(rows.map((row) => [row.pullRequest, targets.get(row) ?? null]));
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

/**
 * How many of the last speculative builds are looked at for second builds. A few builds a change and a few failures in a hundred: the
 * dozen second builds that are asked for (success-probability.ts) are hardly ever among the last few hundred.
 */
const mostBuilds = 2_000;

/** Builds of the last speculative builds that were made of what was red before, and how many of them passed. */
export async function loadSecondTries(
  ctx: Context,
  tx: Transaction,
  { queue, rules }: { readonly queue: Pick<QueueRow, 'id' | 'repositoryId'>; readonly rules: QueueRules },
): Promise<TrackRecord> {
  const rows = await tx.query<{ commits: string[] }>(
    `select array_agg(tested_commit order by id) as commits
     from (select id, content, tested_commit from batch
           where account_id = $1 and queue_id = $2 and side_build = 'speculative' order by id desc limit ${mostBuilds}) newest
     where content is not null and tested_commit is not null group by content having count(*) > 1`,
    [ctx.accountId, queue.id],
  );
  if (rows.length === 0) return unrecorded;
  const commits = rows.flatMap((row) => row.commits);
  const builds = await loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits, trees: [] });
  const verdicts = new Map(builds.map((build) => [build.commit, judgeBuild(build, rules.requiredChecks)]));
  const seconds = rows.flatMap((row) => {
    const [first, second] = row.commits.map((commit) => verdicts.get(commit));
    return first === 'red' && (second === 'green' || second === 'red') ? [second] : [];
  });
  return { passed: seconds.filter((verdict) => verdict === 'green').length, judged: seconds.length };
}

const unrecorded: TrackRecord = { passed: 0, judged: 0 };

export const noRecords: TrackRecords = { repository: unrecorded, authors: new Map() };

export function successProbabilityBy(records: TrackRecords, author: string): PullRequestState['successProbability'] {
  return estimateSuccessProbability({
    repository: records.repository,
    author: records.authors.get(author) ?? unrecorded,
  });
}
