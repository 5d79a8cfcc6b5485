// Reads facts about a head commit that the host's record of a pull request does not have.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, type HostPullRequest, type HostedRepository } from '../../../hosts/port.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { decideOtherBaseUntil } from '../../../domain/queue/evidence/evidence.ts';
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
  /** Until when runs may have tested the head with another base branch (`decideOtherBaseUntil`). */
  readonly otherBaseUntil: Date | null;
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
      readonly otherBaseUntil: Date | null;
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
  const until = findOtherBaseUntil({ seen, before });
  return {
    tree,
    updates,
    bringsOthersIn,
    authorName,
    authorEmail,
    unverified,
    base: containsBase ? base : '',
    otherBaseUntil: until === null ? null : new Date(until),
  };
}

function findOtherBaseUntil({ seen, before }: Pick<Parameters<typeof readHead>[2], 'seen' | 'before'>): number | null {
  if (before.headSha === null) return decideOtherBaseUntil(seen.baseChangedAt, null);
  return decideOtherBaseUntil(seen.baseChangedAt, {
    isSameHead: before.headSha === seen.headSha,
    isSameBase: before.baseBranch === seen.baseBranch,
    baseChangedAt: before.baseChangedAt?.getTime() ?? null,
    otherBaseUntil: before.otherBaseUntil?.getTime() ?? null,
  });
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
