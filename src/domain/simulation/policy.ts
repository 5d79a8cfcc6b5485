// What a policy of the queue sees and may do in a simulated world. The policy is called at every instant with an event.
// It acts through the desk at once, and sees the results.
import type { PastResults } from '../queue/model/success-probability.ts';

/** One pull request. `number` counts from 0 in order of arrival and never changes. Times are milliseconds. */
export interface Change {
  readonly number: number;
  readonly arrivedAt: number;
  readonly author: number;
  /** Null: it overlaps everything. */
  readonly targets: readonly string[] | null;
}

/** The content of a build is the base at its start, then `assumes`, then `members`, which it validates. */
export interface Build {
  readonly id: number;
  /** How many landings there had been at the start. */
  readonly base: number;
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /** Identifies the set of all changes in it, including landed ones. */
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

/** The news since the policy was last called. */
export interface News {
  readonly arrived: readonly Change[];
  readonly finished: readonly Build[];
}

export interface QueueView {
  readonly now: number;
  readonly workers: number;
  /** Idle workers. A build without a worker waits in the order of requests. */
  readonly idleWorkers: number;
  readonly news: News;
  /** The changes in line, in order of arrival. */
  readonly pending: readonly Change[];
  isPending(change: number): boolean;
  change(number: number): Change;
  /** Waiting, running and finished builds, as long as one of their members is pending; by id, oldest first. */
  readonly builds: ReadonlyMap<number, Build>;
  /** Oldest first. A build's `base` is an index into this list. */
  readonly landings: readonly Landing[];
  /** Earlier pending changes that overlap this one, in order. */
  earlierOverlapping(change: Change): readonly Change[];
  /** Identifies the tree of the tip plus these changes, in any order. */
  treeOf(added: readonly number[]): number;
}

export interface BuildContent {
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /** For a build that started before the simulation: how long it still takes, and whether it passes, if known. */
  readonly resumed?: { readonly lastsMs: number; readonly passes: boolean | null };
}

export interface QueueActions {
  /** Starts a build on the present tip. The policy chooses the order within `assumes` and `members`. */
  start(content: BuildContent): Build;
  /** Does nothing for a finished build. */
  cancel(build: number): void;
  /**
   * Lands the changes as one commit. Refused unless the builds justify it (`justifies`) or the policy knows outcomes.
   */
  land(changes: readonly number[], restsOn: readonly Build[]): void;
  /** Removes the change from the queue for good. */
  eject(change: number): void;
  /** Calls the policy at this instant even without an event. */
  wakeAt(at: number): void;
}

export interface Policy {
  /** An oracle: it lands without evidence. The mainline is checked nevertheless. */
  readonly knowsOutcomes?: boolean;
  /** Its published rule asks for less evidence than `justifies` does. The mainline is checked nevertheless. */
  readonly landsByItsOwnRule?: boolean;
  decide(queue: QueueView, desk: QueueActions): void;
}

/** The facts of the simulated world, which policies cannot see. */
export interface GroundTruth {
  /** Whether CI, without flakes, would pass the tip with `added`. The tip is assumed to be green. */
  isGreen(landed: ReadonlySet<number>, added: readonly number[]): boolean;
  /** How long a build takes on a worker, in milliseconds. `attempt` counts builds of one tree. */
  durationOf(build: { readonly members: readonly number[]; readonly tree: number; readonly attempt: number }): number;
  /** Whether this build fails although its tree is green. */
  isFlake(build: { readonly tree: number; readonly attempt: number }): boolean;
}

/** The results of earlier changes, with which a learning policy begins. */
export interface Past {
  /** Oldest first. */
  readonly ends: readonly { readonly author: number; readonly hasLanded: boolean }[];
  /** Second builds of changes that were red by themselves. */
  readonly secondTries: PastResults;
}

/** The parameters of a policy. Only policies that know outcomes use `truth`. */
export interface PolicySetup {
  readonly workers: number;
  readonly changes: readonly Change[];
  readonly truth: GroundTruth;
  /** Absent: there were no earlier changes. */
  readonly past?: Past;
  /** Called at every instant. Once it is true the simulation stops, even with changes in the queue. Absent: never. */
  readonly isOver?: () => boolean;
  /** Changes may stay in the queue when no event is left. Absent: that is an error of the policy. */
  readonly mayStay?: boolean;
}

export type MakePolicy = (setup: PolicySetup) => Policy;
