// Reads facts about a head commit that the host's record of a pull request does not have.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, type HostPullRequest, type HostedRepository } from '../../../hosts/port.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { readBroughtIn } from '../facts/own-pushes.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

export interface HeadFacts {
  readonly tree: string;
  /** The first parent, if the commit only merges it with the tip of the base branch. Otherwise null. */
  readonly updates: string | null;
  /** Whether a push of the service brought commits into the head that are not on the base branch. */
  readonly bringsOthersIn: boolean;
  readonly authorName: string;
  readonly authorEmail: string;
  /** Number of commits without a verified signature. Null: signatures are not required, or were already counted. */
  readonly unverified: number | null;
  /**
   * The tip of the base branch, if the head contains it. A build of such a head may be evidence. Otherwise an empty
   * string.
   */
  readonly base: string;
  /** The earlier base branch, if it has changed since the row was read, and the head contains its tip. Otherwise null. */
  readonly containedEarlierBase: string | null;
}

/** Null: the host does not have the commit. */
export async function readHead(
  ctx: Context,
  repository: HostedRepository,
  {
    seen,
    before,
    isForLanding,
  }: {
    readonly isForLanding: boolean;
    readonly seen: HostPullRequest;
    readonly before: Parameters<typeof configurationOf>[0] & {
      readonly defaultBranch: string;
      readonly headSha: string | null;
      readonly verifiedHead: string | null;
      readonly baseBranch: string | null;
      readonly baseChangedAt: Date | null;
    };
  },
): Promise<HeadFacts | null> {
  const client = hostClient(ctx, repository);
  const base = seen.baseTip;
  // This call comes first, because it fetches both commits together if they are missing locally.
  const containsBase = base !== null && (await client.isAncestor(base, seen.headSha));
  const commit = await client.readCommit(seen.headSha);
  if (commit === null) return null;
  const { tree, authorName, authorEmail } = commit;
  const updates = base === null ? null : await updatedHead(ctx, repository, { commit, tip: base });
  const configuration = configurationOf(before);
  const { require_verified_commits } = configuration.merge_rules.preconditions;
  const isCounted = before.verifiedHead === seen.headSha && before.baseBranch === seen.baseBranch;
  const unverified =
    require_verified_commits && base !== null && !isCounted
      ? await client.countUnverifiedCommits({ head: seen.headSha, base, isForLanding })
      : null;
  // In a stack, the base branch is that of the pull request below, which may have been rebased since.
  const isManaged = isManagedBranch(configuration, seen.baseBranch, before.defaultBranch);
  const bringsOthersIn =
    before.headSha !== null &&
    base !== null &&
    isManaged &&
    (await bringsOtherCommitsIn(ctx, repository, { from: before.headSha, to: seen.headSha, base }));
  return {
    tree,
    updates,
    bringsOthersIn,
    authorName,
    authorEmail,
    unverified,
    base: containsBase ? base : '',
    containedEarlierBase: await findContainedBase(ctx, repository, { seen, before }),
  };
}

async function findContainedBase(
  ctx: Context,
  repository: HostedRepository,
  { seen, before }: Pick<Parameters<typeof readHead>[2], 'seen' | 'before'>,
): Promise<string | null> {
  const { headSha, baseBranch, baseChangedAt } = before;
  if (seen.baseChangedAt === null || seen.baseChangedAt === baseChangedAt?.getTime()) return null;
  // With the same name it has changed twice, so it was another branch that is not known.
  if (headSha !== seen.headSha || baseBranch === null || baseBranch === seen.baseBranch) return null;
  const client = hostClient(ctx, repository);
  const earlier = await client.readRef(`refs/heads/${baseBranch}`);
  const tip =
    earlier?.commit ??
    (await readLandedHead(ctx, repository, { headBranch: baseBranch, changedAt: seen.baseChangedAt }));
  return tip !== null && (await client.isAncestor(tip, seen.headSha)) ? baseBranch : null;
}

/**
 * The head of the pull request of a branch that was merged shortly before the change of the base branch. A branch whose
 * pull request ended long before may have got other commits. Null: there is no such pull request.
 */
async function readLandedHead(
  ctx: Context,
  repository: HostedRepository,
  { headBranch, changedAt }: { readonly headBranch: string; readonly changedAt: number },
): Promise<string | null> {
  const [found] = await ctx.db.read<{ headSha: string }>(ctx.accountId, {
    name: 'landed_head_of_branch',
    text: `select head_sha as "headSha" from pull_request
           where account_id = $1 and repository_id = $2 and head_branch = $3 and head_fork is null and status = 'merged'
             and merged_at >= $4::timestamptz - interval '10 minutes'
           order by merged_at desc limit 1`,
    values: [ctx.accountId, repository.id, headBranch, new Date(changedAt).toISOString()],
  });
  return found?.headSha ?? null;
}

/** The service may have made the head for another pull request, with the same earlier head and another base branch. */
async function bringsOtherCommitsIn(
  ctx: Context,
  repository: HostedRepository,
  { from, to, base }: { readonly from: string; readonly to: string; readonly base: string },
): Promise<boolean> {
  if (from === to) return false;
  for (const onto of await readBroughtIn(ctx, { repositoryId: repository.id, from, to }))
    if (!(await hostClient(ctx, repository).isAncestor(onto, base))) return true;
  return false;
}

/**
 * The previous head, if this commit is an "update branch". To find out, the merge is repeated: the same two parents
 * must give the tree of this commit. Null: the commit is something else.
 */
async function updatedHead(
  ctx: Context,
  repository: HostedRepository,
  { commit, tip }: { readonly commit: HostCommit; readonly tip: string },
): Promise<string | null> {
  const [previous, base] = commit.parents;
  if (previous === undefined || base !== tip || commit.parents.length !== 2) return null;
  const merged = await hostClient(ctx, repository).composeCommit({
    parent: base,
    members: [
      {
        head: previous,
        strategy: 'merge',
        message: commit.message,
        authorName: commit.authorName,
        authorEmail: commit.authorEmail,
      },
    ],
    batchCommit: 'group',
    groupMessage: '',
    at: commit.authoredAt,
    keepRef: `refs/interlock/updates/${commit.commit}`,
  });
  return merged.kind === 'composed' && merged.tree === commit.tree ? previous : null;
}

/** The columns about signatures. Empty if the signatures were not counted. */
export function signatureFacts(
  seen: HostPullRequest,
  head: HeadFacts | null,
): Partial<Pick<PullRequestRow, 'unverifiedCommits' | 'verifiedHead'>> {
  if (head === null || head.unverified === null) return {};
  return { unverifiedCommits: head.unverified, verifiedHead: seen.headSha };
}
