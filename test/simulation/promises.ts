// What a simulation knows of people: their pull requests, what the service has answered, and what they do next.
import type { Draws } from './draws.ts';
import type { Hold } from './holds.ts';
import type { Installation, Process } from './installation.ts';

export type Nature = 'good' | 'bad' | 'half' | 'conflicting';

export interface PullRequest {
  readonly branch: string;
  readonly nature: Nature;
  readonly targets: readonly string[];
  /** The base branch of the pull request, or of the stack to which it belongs. */
  base: string;
  /** Whether its base branch was ever another one than `main`. */
  wasElsewhere: boolean;
  /** The pull requests on whose branches this one was ever based. */
  readonly below: PullRequest[];
  /** Null: the request to open it was not answered. */
  number: number | null;
  pushes: number;
}

/** What the service has answered, and therefore must keep. */
export interface Promises {
  readonly pullRequests: PullRequest[];
  /** Queued with an answer, and nobody has tried to change that since. */
  readonly asked: Set<number>;
  /** Dequeued with an answer, and nobody has tried to queue it since. */
  readonly dequeued: Set<number>;
  /**
   * Landings that had started when the pause, freeze or halt in force was answered. Null: none is in force, or it was not
   * answered.
   */
  held: Record<Hold, ReadonlySet<string> | null>;
  /** Holds that somebody asked for and whose end was not answered since. Each of them may be in force. */
  readonly stopped: Set<Hold>;
  /** Pull requests that the rules have seen as merged. */
  readonly merged: Set<number>;
  /** Commits that people pushed to the base. */
  readonly direct: Set<string>;
  /** Base branches that were deleted or made again since the rules have looked. */
  readonly deleted: Set<string>;
  /** The commit of `release` when it was last deleted. */
  deletedRelease: string;
  /**
   * Pull requests that were labelled, pushed to or closed. Such changes reach the queue by hints at any later time, and
   * may undo later requests.
   */
  readonly touched: Set<number>;
  /** Pull requests whose base branch people changed, or that they closed or reopened. */
  readonly moved: Set<number>;
  /** By number: how many requests to queue the pull request, or one above it, have begun and have not ended. */
  readonly requests: Map<number, number>;
}

export const noPromises = (): Promises => ({
  pullRequests: [],
  asked: new Set(),
  dequeued: new Set(),
  held: { pause: null, 'branch pause': null, freeze: null, halt: null, deactivation: null },
  stopped: new Set(),
  merged: new Set(),
  direct: new Set(),
  deleted: new Set(),
  deletedRelease: '',
  touched: new Set(),
  moved: new Set(),
  requests: new Map(),
});

export interface Act {
  readonly name: string;
  /**
   * What the act is about. Two acts about the same subject never run at once, because their answers would not show
   * which act was later.
   */
  readonly subject: string;
  readonly work: () => Promise<void>;
}

export interface Setting {
  readonly i: Installation;
  readonly promises: Promises;
  readonly draw: Draws;
  readonly by: Process;
}

/** The pull request and all that are or were above it. */
function withAbove({ pullRequests }: Promises, pullRequest: PullRequest): readonly PullRequest[] {
  return pullRequests.filter((each) => each === pullRequest || allBelow(each).includes(pullRequest));
}

/** All pull requests that are or were below this one. */
export function allBelow({ below }: PullRequest): readonly PullRequest[] {
  return [...new Set(below.flatMap((each) => [each, ...allBelow(each)]))];
}

/** Counts a request to queue these pull requests that begins, or that ends. */
export function countRequest({ requests }: Promises, numbers: readonly number[], by: 1 | -1): void {
  for (const number of numbers) requests.set(number, (requests.get(number) ?? 0) + by);
}

/** A change of a pull request also changes the ones above it. */
export function touch(promises: Promises, pullRequest: PullRequest): void {
  for (const { number } of withAbove(promises, pullRequest)) if (number !== null) promises.touched.add(number);
}

/** Like `touch`, for a change by which the pull requests below may be queued at any later time too. */
export function touchStack(promises: Promises, pullRequest: PullRequest): void {
  touch(promises, pullRequest);
  for (const { number } of allBelow(pullRequest)) if (number !== null) promises.touched.add(number);
}
