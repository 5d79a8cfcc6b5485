// What a policy sees and may do in a simulated queue. The policy is called at every instant with an event. Its actions
// take effect immediately.
import type { PastResults } from '../queue/model/success-probability.ts';

/** One pull request. `number` counts from 0 in order of arrival and never changes. Times are milliseconds. */
export interface Change {
  readonly number: number;
  readonly arrivedAt: number;
  readonly author: number;
  /** Null: it overlaps everything. */
  readonly targets: readonly string[] | null;
}

/**
 * A build of the tip at its start with the changes `assumes` and then `members` on top. Its verdict is about the
 * members.
 */
export interface Build {
  readonly id: number;
  /** The number of landings before its start. */
  readonly base: number;
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /** Identifies the set of all changes in it, including landed ones. */
  readonly tree: number;
  readonly requestedAt: number;
  /** Null while it waits for a worker. */
  readonly startedAt: number | null;
  /** Null while it waits for a worker or runs. */
  readonly finishedAt: number | null;
  readonly verdict: 'pending' | 'green' | 'red';
}

/** One commit on the base. */
export interface Landing {
  readonly at: number;
  readonly changes: readonly Change[];
}

/** The events since the last call of the policy. */
export interface News {
  readonly arrived: readonly Change[];
  readonly finished: readonly Build[];
}

export interface QueueView {
  readonly now: number;
  readonly workers: number;
  /** The number of idle workers. If no worker is idle, builds wait in the order in which they were requested. */
  readonly idleWorkers: number;
  readonly news: News;
  /** The changes in line, in order of arrival. */
  readonly pending: readonly Change[];
  isPending(change: number): boolean;
  change(number: number): Change;
  /**
   * The waiting, running and finished builds that have a pending member, by id, oldest first. Canceled builds are not
   * included.
   */
  readonly builds: ReadonlyMap<number, Build>;
  /** Oldest first. A build's `base` is an index into this list. */
  readonly landings: readonly Landing[];
  /** Returns the earlier pending changes that overlap this one, in order of arrival. */
  earlierOverlapping(change: Change): readonly Change[];
  /**
   * Returns the name of the tree that consists of the tip and these changes. The order of the changes does not matter.
   */
  treeOf(added: readonly number[]): number;
}

export interface BuildContent {
  readonly assumes: readonly number[];
  readonly members: readonly number[];
  /**
   * Only for a build that started before the simulation: how long it still takes, and whether it passes. `passes` is
   * null if the ground truth decides.
   */
  readonly resumed?: { readonly remainingMs: number; readonly passes: boolean | null };
}

export interface QueueActions {
  /** Starts a build on the present tip. The policy chooses the order within `assumes` and `members`. */
  start(content: BuildContent): Build;
  /** Does nothing for a finished build. */
  cancel(build: number): void;
  /**
   * Lands the changes as one commit. Throws if the builds do not justify the landing (`justifies`), unless the policy
   * has `knowsOutcomes` or `landsByItsOwnRule`.
   */
  land(changes: readonly number[], restsOn: readonly Build[]): void;
  /** Removes the change from the queue for ever. */
  eject(change: number): void;
  /** Lets the engine call the policy at this instant even without another event. */
  wakeAt(at: number): void;
}

export interface Policy {
  /** An oracle, which may land changes without evidence. Red commits on the base branch are counted nevertheless. */
  readonly knowsOutcomes?: boolean;
  /**
   * True if the published rule of the policy requires less evidence than `justifies`. Red commits on the base branch
   * are counted nevertheless.
   */
  readonly landsByItsOwnRule?: boolean;
  decide(queue: QueueView, actions: QueueActions): void;
}

/** The facts of the simulated world, which policies cannot see. */
export interface GroundTruth {
  /** Returns whether the tree of `landed` and `added` is green, apart from flakes. The tip is assumed to be green. */
  isGreen(landed: ReadonlySet<number>, added: readonly number[]): boolean;
  /** How long a build takes on a worker, in milliseconds. `attempt` counts builds of one tree. */
  durationOf(build: { readonly members: readonly number[]; readonly tree: number; readonly attempt: number }): number;
  /** Whether this build fails although its tree is green. */
  isFlake(build: { readonly tree: number; readonly attempt: number }): boolean;
}

/** The results of changes before the simulation, from which a policy learns. */
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
  /**
   * Called before every instant with an event. If it returns true, the simulation stops, even with changes in the
   * queue. Absent: the simulation is not stopped.
   */
  readonly isOver?: () => boolean;
  /**
   * Whether changes may be in the queue when no event is left. Absent or false: the engine throws an error in this
   * case.
   */
  readonly mayStay?: boolean;
}

export type MakePolicy = (setup: PolicySetup) => Policy;
