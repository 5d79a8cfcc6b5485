// Reads which environments a pull request runs in, and which pull requests a candidate contains, with one statement
// each. The statements use the rows in which reach.ts has stored which commits a candidate contains.
import type DataLoader from 'dataloader';
import type { Context } from '../../../context.ts';
import { descendantsOf } from '../../../domain/releases/reach.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { loadOne } from '../../../graphql/loaders.ts';
import { hostClient, type HostedRepository } from '../../../hosts/port.ts';
import { requireScope } from '../../accounts/index.ts';
import { candidateColumns, type PageBefore } from '../candidates.reads.ts';
import type { ReleaseCandidate } from '../candidates.types.ts';
import { positionOf, reachBase } from './reach.ts';

/** SQL that selects the candidates which contain a commit. */
interface Having {
  /** Part of a statement's name. */
  readonly name: string;
  /**
   * SQL of rows `r` with a `candidate_id`, one for each candidate that contains the commit. $1 is the account, $2 and
   * $3 are `values`.
   */
  readonly rows: string;
  readonly has: (candidateId: string) => string;
  readonly values: readonly [unknown, unknown];
}

/** A merged pull request, with the candidates that contain it. */
export interface MergedPullRequest {
  readonly repository: HostedRepository;
  readonly having: Having;
  /** False: some candidates were not examined yet. */
  readonly isComplete: boolean;
}

/** The presence of a pull request or of a candidate in an environment. */
export interface PresenceRow {
  readonly environmentId: string;
  /** The candidate that runs in the environment now. */
  readonly candidateId: string;
  /**
   * The deployment since which the pull request or candidate runs there without a break. `since` is the end of this
   * deployment.
   */
  readonly deploymentId: string;
  readonly since: Date;
}

/** Null: the pull request is not merged. */
export async function findMergedPullRequest(
  ctx: Context,
  pullRequest: {
    readonly repositoryId: string;
    readonly queueId: string | null;
    readonly mergeCommit: string | null;
    readonly repository: { readonly owner: string; readonly name: string; readonly host: 'local' | 'github' };
  },
): Promise<MergedPullRequest | null> {
  requireScope(ctx, 'release:read');
  const { queueId, mergeCommit, repositoryId } = pullRequest;
  if (mergeCommit === null) return null;
  const { owner, name, host } = pullRequest.repository;
  const repository = { accountId: ctx.accountId, id: repositoryId, owner, name, host };
  if (queueId !== null) {
    const isComplete = await reachBase(ctx, { repository, queueId, candidateId: null });
    const position = await positionOf(ctx, queueId, mergeCommit);
    if (position !== null) return { repository, having: havingByBase(queueId, position), isComplete };
  }
  const { ids, isComplete } = await findByGit(ctx, repository, mergeCommit);
  return { repository, having: havingByGit(ids), isComplete };
}

function havingByBase(queueId: string, position: number): Having {
  return {
    name: 'by_base',
    rows: 'candidate_reach r where r.account_id = $1 and r.queue_id = $2 and r.position >= $3',
    has: (id) =>
      `coalesce((select r.position from candidate_reach r where r.account_id = $1 and r.queue_id = $2 and r.candidate_id = ${id}) >= $3, false)`,
    values: [queueId, position],
  };
}

function havingByGit(candidateIds: readonly string[]): Having {
  return {
    name: 'by_git',
    rows: '(select $1::bigint as account_id, id as candidate_id from unnest($2::bigint[]) id) r where $3::integer is null',
    has: (id) => `(${id} = any ($2::bigint[]) and $3::integer is null)`,
    values: [candidateIds, null],
  };
}

const maxCandidates = 1_000;
const maxCommits = 100_000;

/** Ids of the newest candidates that contain a commit, found by one call to git. The result is not stored. */
async function findByGit(
  ctx: Context,
  repository: HostedRepository,
  commit: string,
): Promise<{ readonly ids: string[]; readonly isComplete: boolean }> {
  const candidates = await ctx.db.read<{ id: string; commit: string }>(ctx.accountId, {
    name: 'newest_release_candidates_of_repository',
    text: `select c.id, c.commit from release_candidate c where c.account_id = $1 and c.repository_id = $2
           order by c.id desc limit $3`,
    values: [ctx.accountId, repository.id, maxCandidates + 1],
  });
  const client = hostClient(ctx, repository);
  if (candidates.length === 0 || (await client.readCommit(commit)) === null) return { ids: [], isComplete: true };
  const to = [...new Set(candidates.map((candidate) => candidate.commit))];
  const beyond = await client.listAncestry({ from: commit, to, limit: maxCommits });
  if (beyond === null) return { ids: [], isComplete: false };
  const having = descendantsOf(commit, beyond);
  const ids = candidates.filter((candidate) => having.has(candidate.commit)).map(({ id }) => id);
  return { ids, isComplete: candidates.length <= maxCandidates };
}

/**
 * Returns the newest candidates first. Reads one more than the page holds, which shows whether there is a next page.
 */
export async function readCandidatesWith(
  ctx: Context,
  merged: MergedPullRequest,
  page: PageBefore,
): Promise<ReleaseCandidate[]> {
  const { name, rows, values } = merged.having;
  return await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
    name: `release_candidates_with_${name}`,
    text: `select ${candidateColumns}
           from (select * from ${rows}) r join release_candidate c on c.account_id = r.account_id and c.id = r.candidate_id
           where r.candidate_id < $4::bigint order by r.candidate_id desc limit $5::bigint + 1`,
    values: [ctx.accountId, ...values, page.before, page.size],
  });
}

/** The first candidate that contains the pull request. */
export async function readFirstCandidateWith(
  ctx: Context,
  merged: MergedPullRequest,
): Promise<ReleaseCandidate | null> {
  const { name, rows, values } = merged.having;
  const [row] = await ctx.db.read<ReleaseCandidate>(ctx.accountId, {
    name: `first_release_candidate_with_${name}`,
    text: `select ${candidateColumns}
           from (select * from ${rows}) r join release_candidate c on c.account_id = r.account_id and c.id = r.candidate_id
           order by r.candidate_id limit 1`,
    values: [ctx.accountId, ...values],
  });
  return row ?? null;
}

/**
 * Ids of the deployments of candidates that contain the pull request, the newest first. Reads one more than the page
 * holds, which shows whether there is a next page.
 */
export async function readDeploymentsWith(
  ctx: Context,
  merged: MergedPullRequest,
  page: PageBefore,
): Promise<string[]> {
  const { name, rows, values } = merged.having;
  const found = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: `deployments_with_${name}`,
    text: `select d.id
           from (select * from ${rows}) r join deployment d on d.account_id = r.account_id and d.candidate_id = r.candidate_id
           where d.id < $4::bigint order by d.id desc limit $5::bigint + 1`,
    values: [ctx.accountId, ...values, page.before, page.size],
  });
  return found.map(({ id }) => id);
}

export async function countDeploymentsWith(ctx: Context, merged: MergedPullRequest): Promise<number> {
  const { name, rows, values } = merged.having;
  const [row] = await ctx.db.read<{ count: number }>(ctx.accountId, {
    name: `deployments_with_count_${name}`,
    text: `select count(*)::integer as count
           from (select * from ${rows}) r join deployment d on d.account_id = r.account_id and d.candidate_id = r.candidate_id`,
    values: [ctx.accountId, ...values],
  });
  return row?.count ?? 0;
}

// The candidate of the newest successful deployment runs in an environment. A pull request runs there since the first
// success after the newest success whose candidate does not contain it. All three deployments are read by the index of
// successes, from the newest on.
function presenceText(environments: string, has: (success: string) => string): string {
  const successes = `from deployment d where d.account_id = $1 and d.environment_id = e.id and d.status = 'success'`;
  return `select e.id as "environmentId", newest.candidate_id as "candidateId", came.id as "deploymentId", came.deploy_end_at as since
          from ${environments}
          cross join lateral (select d.candidate_id ${successes} order by d.deploy_end_at desc, d.id desc limit 1) newest
          left join lateral (select d.deploy_end_at, d.id ${successes} and not ${has('d')}
                             order by d.deploy_end_at desc, d.id desc limit 1) lost on true
          cross join lateral (select d.deploy_end_at, d.id ${successes}
                              and (lost.id is null or (d.deploy_end_at, d.id) > (lost.deploy_end_at, lost.id))
                              order by d.deploy_end_at, d.id limit 1) came
          where e.account_id = $1 and ${has('newest')}
          order by e.project_id, e.position, e.id`;
}

export async function readPresenceOf(ctx: Context, { having, repository }: MergedPullRequest): Promise<PresenceRow[]> {
  const environments =
    'release_project p join environment e on e.account_id = p.account_id and e.project_id = p.id and p.repository_id = $4';
  return await ctx.db.read<PresenceRow>(ctx.accountId, {
    name: `presence_of_pull_request_${having.name}`,
    text: presenceText(environments, (success) => having.has(`${success}.candidate_id`)),
    values: [ctx.accountId, ...having.values, repository.id],
  });
}

/** The environments that a candidate runs in. */
export async function readPresenceOfCandidate(
  ctx: Context,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<PresenceRow[]> {
  requireScope(ctx, 'release:read');
  return await ctx.db.read<PresenceRow>(ctx.accountId, {
    name: 'presence_of_candidate',
    text: presenceText(
      'release_project p join environment e on e.account_id = p.account_id and e.project_id = p.id and p.id = $3',
      (success) => `${success}.candidate_id = $2`,
    ),
    values: [ctx.accountId, id, projectId],
  });
}

/** Loads the candidate that runs in each environment. Null: no deployment has succeeded there. */
export function runningCandidateOf(ctx: GraphQLContext): DataLoader<string, PresenceRow | null> {
  return loadOne('environmentId', async (environmentIds) => {
    requireScope(ctx, 'release:read');
    return await ctx.db.read<PresenceRow>(ctx.accountId, {
      name: 'running_in_environments',
      text: presenceText(
        '(select * from environment where id = any ($2::bigint[])) e',
        (success) => `${success}.candidate_id = newest.candidate_id`,
      ),
      values: [ctx.accountId, environmentIds],
    });
  });
}

/** A pull request of a candidate, with the columns that its list is sorted by. */
export interface ContainedPullRequest {
  readonly id: string;
  readonly mergedAt: Date;
}

// This makes two look-ups for each row. For a join, PostgreSQL compared all rows with all rows.
const isContained = `(select b.position from base_commit b where b.account_id = $1 and b.queue_id = p.queue_id and b.commit = p.merge_commit_sha)
  <= (select r.position from candidate_reach r where r.account_id = $1 and r.queue_id = p.queue_id and r.candidate_id = $2)`;

/**
 * The number of a candidate's pull requests. The caller has read a page of the list before, so the candidate was
 * examined.
 */
export async function countPullRequestsOf(
  ctx: Context,
  candidate: { readonly id: string; readonly repository: HostedRepository },
): Promise<number> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<{ n: number }>(ctx.accountId, {
    name: 'count_pull_requests_of_release_candidate',
    text: `select count(*)::integer as n from pull_request p
           where p.account_id = $1 and p.repository_id = $3 and p.status = 'merged' and ${isContained}`,
    values: [ctx.accountId, candidate.id, candidate.repository.id],
  });
  return row?.n ?? 0;
}

/**
 * The pull requests that a candidate contains, the last merged first. Reads one more than the page holds, which shows
 * whether there is a next page.
 */
export async function readPullRequestsOf(
  ctx: Context,
  candidate: { readonly id: string; readonly repository: HostedRepository },
  {
    size,
    before,
  }: { readonly size: number; readonly before: { readonly mergedAt: string; readonly id: string } | null },
): Promise<ContainedPullRequest[]> {
  requireScope(ctx, 'release:read');
  for (const queueId of await queuesThatMerged(ctx, candidate.repository.id))
    await reachBase(ctx, { repository: candidate.repository, queueId, candidateId: candidate.id });
  return await ctx.db.read<ContainedPullRequest>(ctx.accountId, {
    name: 'pull_requests_of_release_candidate',
    text: `select p.id, p.merged_at as "mergedAt" from pull_request p
           where p.account_id = $1 and p.repository_id = $3 and p.status = 'merged'
             and ($4::timestamptz is null or (p.merged_at, p.id) < ($4::timestamptz, $5::bigint))
             and ${isContained}
           order by p.merged_at desc, p.id desc limit $6::bigint + 1`,
    values: [ctx.accountId, candidate.id, candidate.repository.id, before?.mergedAt ?? null, before?.id ?? null, size],
  });
}

/** Ids of the queues of a repository that have merged a pull request. */
export async function queuesThatMerged(ctx: Context, repositoryId: string): Promise<string[]> {
  const rows = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'queues_that_merged',
    text: `select q.id from queue q
           where q.account_id = $1 and q.repository_id = $2
             and exists (select from pull_request p where p.account_id = q.account_id and p.queue_id = q.id and p.status = 'merged')
           order by q.id`,
    values: [ctx.accountId, repositoryId],
  });
  return rows.map(({ id }) => id);
}
