// A pull request is stacked on the pull request whose head branch is its base branch. The lowest pull request of a
// stack has a managed base branch, and all pull requests of the stack are in the queue of this branch.
import type { MergeStrategy } from '../model/rules.ts';
import type { PullRequestState, PullRequestStatus } from '../model/snapshot.ts';

/** The greatest number of pull requests below a pull request. A longer chain of branches is not treated as a stack. */
export const deepestStack = 20;

/** What a landing has put on the base branch of a pull request. */
export interface LandedHead {
  /** The head commit that was tested and landed. */
  readonly pinned: string;
  /** The commit of the pull request on the base branch. The landing may have moved the head there. */
  readonly own: string;
}

/**
 * Whether a head commit has commits that the landing left out. Pull requests above may contain these commits, although
 * their conversations do not show them.
 */
export function isLeftOut(head: string, { pinned, own }: LandedHead): boolean {
  return head !== pinned && head !== own;
}

export interface StackBranches {
  readonly number: number;
  readonly headBranch: string;
  readonly baseBranch: string;
}

/**
 * A pull request that others may be stacked on. Pull requests that were open when it merged stay stacked on it until
 * they are retargeted.
 */
export interface StackCandidate extends StackBranches {
  readonly state: 'open' | 'merged';
  /** When it was opened, or later: when it was reopened before it was first seen. In milliseconds. */
  readonly openedAt: number;
  /** In milliseconds. Null unless merged. */
  readonly mergedAt: number | null;
}

export interface Stack<Candidate> {
  readonly baseBranch: string;
  /** The pull requests below, from the nearest one to the one whose base branch is managed. Never empty. */
  readonly below: readonly Candidate[];
}

/**
 * The stack below the pull request `top`, whose `headBranch` is null if its head is a branch of a fork. Returns null if
 * `top` is in no stack: then it belongs to its own base branch, managed or not. If several candidates have the same
 * head branch, open ones come before merged ones, and older ones before newer ones. A candidate whose chain reaches no
 * managed branch is left out.
 */
export function findStack<Candidate extends StackCandidate>(
  top: Pick<StackBranches, 'number' | 'baseBranch'> & { readonly headBranch: string | null; readonly openedAt: number },
  candidates: readonly Candidate[],
  isManaged: (baseBranch: string) => boolean,
): Stack<Candidate> | null {
  if (isManaged(top.baseBranch)) return null;
  const inOrder = candidates.toSorted(
    (a, b) => Number(a.state === 'merged') - Number(b.state === 'merged') || a.number - b.number,
  );
  // Branches that lead to no managed branch, and branches on the current path. Without this set, a cycle of branches
  // would be followed for ever.
  const tried = new Set(top.headBranch === null ? [] : [top.headBranch]);
  const descend = (
    above: Pick<StackCandidate, 'baseBranch' | 'openedAt'>,
    depth: number,
  ): readonly Candidate[] | null => {
    if (depth > deepestStack || tried.has(above.baseBranch)) return null;
    tried.add(above.baseBranch);
    for (const candidate of inOrder) {
      if (candidate.headBranch !== above.baseBranch || candidate.number === top.number) continue;
      // Another pull request has had the same branch before.
      if (candidate.mergedAt !== null && candidate.mergedAt < above.openedAt) continue;
      if (isManaged(candidate.baseBranch)) return [candidate];
      const further = descend(candidate, depth + 1);
      if (further !== null) return [candidate, ...further];
    }
    return null;
  };
  const below = descend(top, 1);
  const lowest = below?.at(-1);
  return below === null || lowest === undefined ? null : { baseBranch: lowest.baseBranch, below };
}

interface InStack extends Pick<PullRequestState, 'id' | 'below' | 'skipLine' | 'stack'> {}

/**
 * Gives each pull request in line the id of its stack, which is the id of the lowest pull request below it. A stacked
 * pull request skips the line only if all pull requests below it skip the line too.
 */
export function withStacks<PullRequest extends InStack>(inLine: readonly PullRequest[]): readonly PullRequest[] {
  const known = new Map(inLine.map((pullRequest) => [pullRequest.id, pullRequest]));
  const isBelowOther = new Set(inLine.flatMap(({ below }) => below ?? []));
  const downFrom = (top: PullRequest): readonly PullRequest[] => {
    const chain = [top];
    for (let next = top; next.below !== null; ) {
      const below = known.get(next.below);
      if (below === undefined || chain.includes(below)) break;
      chain.push(below);
      next = below;
    }
    return chain;
  };
  return inLine.map((pullRequest) => {
    if (pullRequest.below === null && !isBelowOther.has(pullRequest.id)) return pullRequest;
    const chain = downFrom(pullRequest);
    return { ...pullRequest, stack: chain.at(-1)?.id ?? null, skipLine: chain.every(({ skipLine }) => skipLine) };
  });
}

/**
 * For each member of a batch: whether the commit of the next member contains its changes. Only squashed pull requests
 * can share a commit: merges and rebases keep the authors' commits.
 */
export function findSharedCommits(
  members: readonly { readonly id: string; readonly below: string | null; readonly strategy: MergeStrategy }[],
  rules: { readonly useSeparateCommits: boolean },
): readonly boolean[] {
  return members.map(({ id, strategy }, index) => {
    const next = members[index + 1];
    return !rules.useSeparateCommits && strategy === 'squash' && next?.strategy === 'squash' && next.below === id;
  });
}

/**
 * The members of a batch that are directly stacked on another member, or that another member is directly stacked on.
 */
export function findLandedTogether<Member extends { readonly pinnedHead: string; readonly belowHead?: string | null }>(
  members: readonly Member[],
): readonly Member[] {
  const heads = new Set(members.map(({ pinnedHead }) => pinnedHead));
  const lowerHeads = new Set(members.flatMap(({ belowHead }) => belowHead ?? []));
  return members.filter(
    ({ pinnedHead, belowHead }) => lowerHeads.has(pinnedHead) || (belowHead && heads.has(belowHead)),
  );
}

/** The sentence about a pull request that waits for the pull request below it in its stack. */
export function waitsForBelow(below: { readonly number: number; readonly status: PullRequestStatus }): string {
  return `It is stacked on #${below.number}, which ${belowTexts[below.status]}.`;
}

const belowTexts = {
  open: 'nobody has asked to merge',
  pending: 'is not in line yet',
  queued: 'is not before it in line',
  tagged: 'is not before it in line',
  blocked: 'is blocked',
  merged: 'is merged',
  closed: 'is closed',
} as const satisfies Record<PullRequestStatus, string>;
