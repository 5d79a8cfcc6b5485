// Reads the difference between two candidates from git: the commits that only one of them contains, and the pull
// requests whose merge made these commits.
import type { Context } from '../../../context.ts';
import { originsOf, type KnownLanding, type MergedPullRequest, type Origin } from '../../../domain/releases/origin.ts';
import { hostClient, type HostCommit, type HostedRepository } from '../../../hosts/port.ts';
import { requireScope } from '../../accounts/index.ts';

const maxCommits = 10_000;

export interface Range {
  readonly repository: HostedRepository;
  /** Null: the range begins with the first commit. */
  readonly from: string | null;
  readonly to: string;
}

export interface ChangedCommits {
  /** Newest first. */
  readonly commits: readonly HostCommit[];
  /** Whether all commits are listed. If there are more than 10,000 commits, only the newest 10,000 are listed. */
  readonly isComplete: boolean;
}

/** Returns the commits that `to` contains and `from` does not contain. */
export async function readChangedCommits(ctx: Context, { repository, from, to }: Range): Promise<ChangedCommits> {
  requireScope(ctx, 'release:read');
  const commits = await hostClient(ctx, repository).listCommits({
    from: from === null ? [] : [from],
    to,
    limit: maxCommits + 1,
  });
  const isComplete = commits.length <= maxCommits;
  return { commits: (isComplete ? commits : commits.slice(1)).toReversed(), isComplete };
}

/** Ids of pull requests that were merged by one of these commits, the last merged first. */
export async function readPullRequestsOfCommits(
  ctx: Context,
  repositoryId: string,
  commits: readonly HostCommit[],
): Promise<string[]> {
  const rows = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'pull_requests_by_merge_commit',
    text: `select p.id from pull_request p
           where p.account_id = $1 and p.repository_id = $2 and p.merge_commit_sha = any ($3::text[]) and p.status = 'merged'
           order by p.merged_at desc, p.id desc`,
    values: [ctx.accountId, repositoryId, commits.map(({ commit }) => commit)],
  });
  return rows.map(({ id }) => id);
}

/** How each of these commits was merged into the history of `tip`: by a landing, by another merge, or by a push. */
export async function readOrigins(
  ctx: Context,
  {
    repositoryId,
    commits,
    tip,
  }: { readonly repositoryId: string; readonly commits: readonly HostCommit[]; readonly tip: string },
): Promise<Map<string, Origin>> {
  requireScope(ctx, 'queue:read');
  const values = [ctx.accountId, repositoryId, commits.map(({ commit }) => commit)];
  const landings = await ctx.db.read<KnownLanding>(ctx.accountId, {
    name: 'landings_by_commit',
    text: `select l.batch_id as "batchId", l.commit, b.parent_commit as after
           from landing l join batch b on b.account_id = l.account_id and b.id = l.batch_id
           where l.account_id = $1 and l.repository_id = $2 and l.commit = any ($3::text[])`,
    values,
  });
  const merged = await ctx.db.read<MergedPullRequest>(ctx.accountId, {
    name: 'merged_by_commit',
    text: `select p.id as "pullRequestId", p.number, p.merge_commit_sha as commit from pull_request p
           where p.account_id = $1 and p.repository_id = $2 and p.merge_commit_sha = any ($3::text[]) and p.status = 'merged'
           order by p.id`,
    values,
  });
  return originsOf(commits, tip, { landings, merged });
}

/**
 * The range of commits of the default branch that the newest candidate of a project does not contain. Null: nothing was
 * ever queued for the branch, so that its tip is not known.
 */
export async function findUnreleased(
  ctx: Context,
  projectId: string,
  { id: repositoryId, defaultBranch }: { readonly id: string; readonly defaultBranch: string },
): Promise<(Pick<Range, 'from'> & { readonly to: string }) | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<{ tip: string | null; newest: string | null }>(ctx.accountId, {
    name: 'unreleased_range',
    text: `select q.base_tip as tip, (select c.commit from release_candidate c
             where c.account_id = $1 and c.project_id = $2 order by c.id desc limit 1) as newest
           from queue q where q.account_id = $1 and q.repository_id = $3 and q.base_branch = $4`,
    values: [ctx.accountId, projectId, repositoryId, defaultBranch],
  });
  return row === undefined || row.tip === null ? null : { from: row.newest, to: row.tip };
}

/** The id of the candidate that was created before this one in the same project. Null: this candidate is the first. */
export async function findPreviousCandidate(
  ctx: Context,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<string | null> {
  const [row] = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'release_candidate_before',
    text: `select c.id from release_candidate c where c.account_id = $1 and c.project_id = $2 and c.id < $3 order by c.id desc limit 1`,
    values: [ctx.accountId, projectId, id],
  });
  return row?.id ?? null;
}
