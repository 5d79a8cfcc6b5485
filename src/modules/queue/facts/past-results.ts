// Estimates the success probability of pull requests from earlier builds of their authors and their repository.
import type { Context } from '../../../context.ts';
import { estimateSuccessProbability, type PastResults } from '../../../domain/queue/model/success-probability.ts';
import { judgeBuild } from '../../../domain/queue/evidence/evidence.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { PullRequestState } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadBuilds } from './builds.loader.ts';
import type { QueueRow } from '../store/queue.entities.ts';

/** How many of the last pull requests that left a line of the repository are read. */
const maxEnds = 500;

export interface RepositoryResults {
  readonly repository: PastResults;
  readonly authors: ReadonlyMap<string, PastResults>;
}

/**
 * The last results of all queues of a repository, read from the event log. A pull request passed if a queue merged it,
 * and failed if a build blocked it.
 */
export async function loadPastResults(ctx: Context, tx: Transaction, repositoryId: string): Promise<RepositoryResults> {
  const rows = await tx.query<PastResults & { readonly author: string }>(
    `select author, count(*) filter (where action = 'merged')::int as passed, count(*)::int as judged
     from (
       select action, payload->>'author' as author, payload->>'statusCode' as code, payload->>'mergedByQueue' as queued from event
       where account_id = $1 and repository_id = $2 and action in ('merged', 'blocked') order by id desc limit ${maxEnds}) ends
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
 * How many of the last speculative builds are searched for second builds of the same content. There are a few builds
 * for each change, and a few builds in a hundred fail. So the last few hundred builds rarely contain the dozen second
 * builds that success-probability.ts needs.
 */
const maxBuilds = 2_000;

/**
 * Counts, among the last speculative builds, the second builds of content whose first build was red, and how many of
 * these second builds passed.
 */
export async function loadSecondTries(
  ctx: Context,
  tx: Transaction,
  { queue, rules }: { readonly queue: Pick<QueueRow, 'id' | 'repositoryId'>; readonly rules: QueueRules },
): Promise<PastResults> {
  const rows = await tx.query<{ commits: string[] }>(
    `select array_agg(tested_commit order by id) as commits
     from (select id, content, tested_commit from batch
           where account_id = $1 and queue_id = $2 and side_build = 'speculative' order by id desc limit ${maxBuilds}) newest
     where content is not null and tested_commit is not null group by content having count(*) > 1`,
    [ctx.accountId, queue.id],
  );
  if (rows.length === 0) return noResults;
  const commits = rows.flatMap((row) => row.commits);
  const builds = await loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits, trees: [] });
  const verdicts = new Map(builds.map((build) => [build.commit, judgeBuild(build, rules.requiredChecks)]));
  const seconds = rows.flatMap((row) => {
    const [first, second] = row.commits.map((commit) => verdicts.get(commit));
    return first === 'red' && (second === 'green' || second === 'red') ? [second] : [];
  });
  return { passed: seconds.filter((verdict) => verdict === 'green').length, judged: seconds.length };
}

const noResults: PastResults = { passed: 0, judged: 0 };

export const noPastResults: RepositoryResults = { repository: noResults, authors: new Map() };

export function successProbabilityBy(
  records: RepositoryResults,
  author: string,
): PullRequestState['successProbability'] {
  return estimateSuccessProbability({
    repository: records.repository,
    author: records.authors.get(author) ?? noResults,
  });
}
