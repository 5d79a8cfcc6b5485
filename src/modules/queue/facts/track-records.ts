// How likely pull requests pass, by how builds of their authors and of their repository ended before.
import type { Context } from '../../../context.ts';
import { estimateSuccessProbability, type TrackRecord } from '../../../domain/queue/model/success-probability.ts';
import { judgeBuild } from '../../../domain/queue/evidence/evidence.ts';
import type { PullRequestState, QueueRules } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadBuilds } from './build.records.ts';
import type { QueueRow } from '../store/queue.entities.ts';

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
