// What a policy of the queue sees and may do in a simulated world. A policy is asked at every instant at which something
// happened; it acts through the desk at once, and sees what it did.
import type { TrackRecord } from '../queue/model/success-probability.ts';

/** One pull request. `number` counts from 0 in order of arrival and never changes. Times are milliseconds. */
export interface Change {
  readonly number: number;
  readonly arrivedAt: number;
  readonly author: number;
  /** Null: it overlaps everything. */
  readonly targets: readonly string[] | null;
}

/** Content is the base at its start, then `assumes`, then `members`: those it validates. */
export interface Build {
  readonly id: number;
  /** How many landings there had been. */
  readonly base: number;
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /** Names the set of all changes in it, landed ones included. */
  readonly tree: number;
  readonly requestedAt: number;
  /** Null while it waits for a worker. */
  readonly startedAt: number | null;
  /** Null while it waits or runs. */
  readonly finishedAt: number | null;
  readonly verdict: 'pending' | 'green' | 'red';
}

/** One commit on the base. */
export interface Landing {
  readonly at: number;
  readonly changes: readonly Change[];
}

/** Since the policy was last asked. */
export interface News {
  readonly arrived: readonly Change[];
  readonly finished: readonly Build[];
}

export interface QueueView {
  readonly now: number;
  readonly workers: number;
  /** Workers without a build. A build beyond them waits, in the order of requests. */
  readonly idleWorkers: number;
  readonly news: News;
  /** In order of arrival. */
  readonly pending: readonly Change[];
  isPending(change: number): boolean;
  change(number: number): Change;
  /** Waiting, running, and finished ones as long as one of their members is pending; by id, oldest first. */
  readonly builds: ReadonlyMap<number, Build>;
  /** Oldest first; a build's `base` counts these. */
  readonly landings: readonly Landing[];
  /** Pending, earlier than this one, and overlapping it; in order. */
  earlierOverlapping(change: Change): readonly Change[];
  /** Names the tree of the tip and these changes, in any order. */
  treeOf(added: readonly number[]): number;
}

export interface BuildContent {
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /** Of one that was under way before the simulation: how long it still takes, and whether it passes, where that is known. */
  readonly resumed?: { readonly lastsMs: number; readonly passes: boolean | null };
}

export interface Desk {
  /** On the tip as it is now. Order within `assumes` and `members` is the policy's own. */
  start(content: BuildContent): Build;
  /** Of a finished one: nothing happens. */
  cancel(build: number): void;
  /** As one commit. Refused unless the builds justify it (`justifies`), or the policy knows outcomes. */
  land(changes: readonly number[], restsOn: readonly Build[]): void;
  /** Out of the queue for good. */
  eject(change: number): void;
  /** Ask again at this instant, whatever happens until then. */
  wakeAt(at: number): void;
}

export interface Policy {
  /** An oracle: it lands without evidence. The mainline is checked all the same. */
  readonly knowsOutcomes?: boolean;
  /** Its published rule asks for less evidence than `justifies` does. The mainline is checked all the same. */
  readonly landsByItsOwnRule?: boolean;
  decide(queue: QueueView, desk: Desk): void;
}

/** What is true of the world, whatever anybody believes. */
export interface Truth {
  /** Would CI, without flakes, pass the tip with `added`? The tip is taken as green. */
  isGreen(landed: ReadonlySet<number>, added: readonly number[]): boolean;
  /** How long a build takes on a worker, in milliseconds. `attempt` counts builds of one tree. */
  durationOf(build: { readonly members: readonly number[]; readonly tree: number; readonly attempt: number }): number;
  /** This build fails although its tree is green. */
  isFlake(build: { readonly tree: number; readonly attempt: number }): boolean;
}

/** What became of the changes before: whoever learns begins with that. */
export interface Past {
  /** Oldest first. */
  readonly ends: readonly { readonly author: number; readonly hasLanded: boolean }[];
  /** Builds made once more of what was red by itself. */
  readonly secondTries: TrackRecord;
}

/** What a policy is made from. `truth` is for those that know outcomes. */
export interface PolicySetup {
  readonly workers: number;
  readonly changes: readonly Change[];
  readonly truth: Truth;
  /** Left out: nothing was before. */
  readonly past?: Past;
  /** Asked at every instant: from then on nothing more happens, whoever is still in the queue. Left out: never. */
  readonly isOver?: () => boolean;
  /** Whoever is in the queue when nothing is to happen any more stays there. Left out: that is an error of the policy. */
  readonly mayStay?: boolean;
}

export type MakePolicy = (setup: PolicySetup) => Policy;
