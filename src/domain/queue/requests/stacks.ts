// Stacks: a pull request whose base branch is the head branch of another one stands on that one, and so on down to a
// managed base branch, in whose queue all of them are.
import type { MergeStrategy, PullRequestState, PullRequestStatus } from '../model/snapshot.ts';

/** How many may stand below one. A longer chain of branches is not taken for a stack. */
export const deepestStack = 20;

export interface StackBranches {
  readonly number: number;
  readonly headBranch: string;
  readonly baseBranch: string;
}

/** One that others may stand on. One that is merged holds those that were there before it was, until they are retargeted. */
export interface StackCandidate extends StackBranches {
  readonly state: 'open' | 'merged';
  /** Null unless merged. */
  readonly mergedAt: number | null;
}

export interface Stack<Candidate> {
  readonly baseBranch: string;
  /** From the nearest down to the one whose base branch is managed; never empty. */
  readonly below: readonly Candidate[];
}

/**
 * Null: it stands in the queue of its own base branch, whether that is managed or not. Of several with one head branch
 * the open ones go before the merged ones, the older before the newer; one that leads nowhere is passed over.
 */
export function findStack<Candidate extends StackCandidate>(
  top: StackBranches & { readonly openedAt: number },
  candidates: readonly Candidate[],
  isManaged: (baseBranch: string) => boolean,
): Stack<Candidate> | null {
  if (isManaged(top.baseBranch)) return null;
  const inTurn = candidates
    .filter(({ mergedAt }) => mergedAt === null || mergedAt >= top.openedAt)
    .toSorted((a, b) => Number(a.state === 'merged') - Number(b.state === 'merged') || a.number - b.number);
  // Branches already found to lead nowhere, and those on the way: without them a ring of branches is walked for ever.
  const tried = new Set([top.headBranch]);
  const descend = (branch: string, depth: number): readonly Candidate[] | null => {
    if (depth > deepestStack || tried.has(branch)) return null;
    tried.add(branch);
    for (const candidate of inTurn) {
      if (candidate.headBranch !== branch || candidate.number === top.number) continue;
      if (isManaged(candidate.baseBranch)) return [candidate];
      const further = descend(candidate.baseBranch, depth + 1);
      if (further !== null) return [candidate, ...further];
    }
    return null;
  };
  const below = descend(top.baseBranch, 1);
  const lowest = below?.at(-1);
  return below === null || lowest === undefined ? null : { baseBranch: lowest.baseBranch, below };
}

/**
 * Those in line, given what each stands on: which stacks they make, and that one goes ahead of others only as far as
 * all below it do.
 */
export function withStacks(inLine: readonly PullRequestState[]): readonly PullRequestState[] {
  const known = new Map(inLine.map((pullRequest) => [pullRequest.id, pullRequest]));
  const isStoodOn = new Set(inLine.flatMap(({ below }) => below ?? []));
  const downFrom = (top: PullRequestState): readonly PullRequestState[] => {
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
    if (pullRequest.below === null && !isStoodOn.has(pullRequest.id)) return pullRequest;
    const chain = downFrom(pullRequest);
    return { ...pullRequest, stack: chain.at(-1)?.id ?? null, skipLine: chain.every(({ skipLine }) => skipLine) };
  });
}

/**
 * Which members of a batch have their changes in the commit of the next one. Only squashes can share one: merges and
 * rebases keep the commits of their authors.
 */
export function findJoined(
  members: readonly { readonly id: string; readonly below: string | null; readonly strategy: MergeStrategy }[],
  rules: { readonly useSeparateCommits: boolean },
): readonly boolean[] {
  return members.map(({ id, strategy }, index) => {
    const next = members[index + 1];
    return !rules.useSeparateCommits && strategy === 'squash' && next?.strategy === 'squash' && next.below === id;
  });
}

/** Those members of a batch that land together with another one of their stack. */
export function findLandedTogether<Member extends { readonly pinnedHead: string; readonly belowHead?: string | null }>(
  members: readonly Member[],
): readonly Member[] {
  const heads = new Set(members.map(({ pinnedHead }) => pinnedHead));
  const stoodOn = new Set(members.flatMap(({ belowHead }) => belowHead ?? []));
  return members.filter(({ pinnedHead, belowHead }) => stoodOn.has(pinnedHead) || (belowHead && heads.has(belowHead)));
}

/** The sentence of one that waits for the one it stands on. */
export function waitsForBelow(below: { readonly number: number; readonly status: PullRequestStatus }): string {
  return `It stands on #${below.number}, which ${belowWords[below.status]}.`;
}

const belowWords = {
  open: 'nobody has asked to merge',
  pending: 'is waiting itself',
  queued: 'is not before it in line',
  tagged: 'is not before it in line',
  blocked: 'is blocked',
  merged: 'is merged',
  closed: 'is closed',
} as const satisfies Record<PullRequestStatus, string>;
