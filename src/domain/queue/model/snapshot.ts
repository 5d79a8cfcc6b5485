// What the planner sees, as plain data. The service loads a Snapshot in one transaction, `plan` decides, and the
// service writes the decisions in that same transaction.
//
// The model in one paragraph. The line of a queue is its live batches in order of `position`. Every batch has exactly
// one parent: the base's tip, or the commit of the live batch before it (its assumption). A batch is immutable:
// members, pinned heads and parent never change; a reset makes a new batch. A batch lands only when its parent is the
// base's tip *now* and green evidence for its tree exists. So an optimistic pass is a new batch on the tip, with all
// members of the red batch and of the green one on top of it. The look-up finds the evidence for its tree as soon as
// its commit is made.
//
// With adaptive speculation, or with affected targets, builds are speculative and are beside the line. Their content is
// the base, then the pull requests that are assumed to land before, then the members. They live for as long as their
// result may matter. The line then contains only landings: batches on the tip, composed of what green speculative
// builds hold. Evidence for their tree justifies them, or the green builds of their parts.

import type { CheckConclusion, QueueRules } from './rules.ts';
import type { PastResults } from './success-probability.ts';

export type PullRequestStatus = 'open' | 'pending' | 'queued' | 'tagged' | 'blocked' | 'merged' | 'closed';

export type BlockCode =
  | 101
  | 104
  | 105
  | 106
  | 107
  | 108
  | 109
  | 110
  | 111
  | 112
  | 113
  | 114
  | 115
  | 116
  | 117
  | 118
  | 119;
export type ResetCode = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308 | 309 | 310;

export interface CheckState {
  readonly name: string;
  readonly attempt: number;
  /** `pending` while it is queued or running. */
  readonly conclusion: CheckConclusion;
  /** The event that started the run, as the host names it. It tells what the run has checked out. Absent: not known. */
  readonly event?: string;
}

/** CI's results for one commit. Facts only: `judgeBuild(build, required)` derives the verdict. */
export interface BuildState {
  readonly commit: string;
  readonly tree: string;
  /** The base's commit at the bottom of the speculation this commit was built on. */
  readonly base: string;
  readonly checks: readonly CheckState[];
  /** The host says that no further check will start by itself for this commit. */
  readonly complete: boolean;
  /** Canceled builds prove nothing. */
  readonly canceled: boolean;
  readonly startedAt: number;
  /** When the last check ended. Null while a check runs. */
  readonly finishedAt: number | null;
  /** When the latest of the ended checks ended. Null: none has ended. */
  readonly lastEndAt: number | null;
}

export type Verdict = 'pending' | 'green' | 'red' | 'none';

/**
 * The phase of a member of a bisected batch. `in_place`: in line. `side_build`: built beside the line, which goes on
 * without it. `returned`: back in line, at the place of its batch.
 */
export type BisectionPhase = 'in_place' | 'side_build' | 'returned';

export interface PullRequestState {
  readonly id: string;
  readonly number: number;
  readonly status: 'queued' | 'tagged';
  /** The head that was admitted. A batch pins it. */
  readonly head: string;
  /** Identifies its stack: neighbours of one stack share a batch. Null: it is in no stack. */
  readonly stack: string | null;
  /** The open pull request that it is stacked on. It is in line only behind that one. Null: there is none. */
  readonly below: string | null;
  /** It has the barrier's label: while it is in line, nothing behind it is built. */
  readonly isBarrier: boolean;
  /** Place in line: lower is earlier. Never changes while queued, except by skip line and when it is reordered. */
  readonly rank: number;
  /** Its build failed and it was moved behind all in line for its isolated retry. At most once since it was queued. */
  readonly reorderedForFailure: boolean;
  /**
   * How often ready pull requests passed it since it was queued, because it was unlikely to land or in its isolated
   * retry.
   */
  readonly timesPassed: number;
  readonly skipLine: boolean;
  readonly skipValidation: boolean;
  readonly queuedAt: number;
  readonly requeueAttempts: number;
  /** Verdict of its own required checks on its head (`none`: no check has been seen yet). */
  readonly ownVerdict: Verdict;
  /** Names of its own required checks that failed. Empty unless `ownVerdict` is red. */
  readonly ownFailedChecks: readonly string[];
  /** The failed own checks that never ran. */
  readonly ownMissingChecks: readonly string[];
  /**
   * Set by BisectBatch, on every member alike: `group` and `attempts` as decided, `max` the length of its first part.
   * Only pull requests of one group share a batch, at most `max` of them. Cleared when it lands, leaves or is blocked.
   */
  readonly bisection: {
    readonly group: string;
    readonly max: number;
    readonly attempts: number;
    readonly phase: BisectionPhase;
  } | null;
  /** `top_of_queue` was announced since it was queued. */
  readonly topAnnounced: boolean;
  /** `stuck` was announced since it was queued. */
  readonly stuckAnnounced: boolean;
  /**
   * Its affected targets, transitively complete. Null: not known, or targets are not used; then it overlaps everything.
   */
  readonly targets: readonly string[] | null;
  /**
   * The probability that its build passes by itself, from the history of its repository and author. Between 0 and 1,
   * exclusive.
   */
  readonly successProbability: number;
  /**
   * The last merge of this head that conflicted: on `parent` after the heads `after`, in order. A new head clears it.
   */
  readonly conflict: { readonly parent: string; readonly after: readonly string[] } | null;
}

/** A final gate that a batch must pass, with its run on the batch's commit. Null: not asked yet. */
export interface GateState {
  readonly workflow: string;
  readonly timeoutMins: number;
  readonly run: {
    /** `planned`: the host has not been asked yet. */
    readonly state: 'planned' | 'running' | 'passed' | 'failed';
    readonly plannedAt: number;
    /** Why it failed. Null unless it failed. */
    readonly reason: string | null;
  } | null;
}

export type LiveBatchState = 'making' | 'building' | 'landing';

export interface PinnedHead {
  readonly pullRequest: string;
  readonly head: string;
}

/** A landing, or another change, that moved the base's tip. */
export interface Landing {
  readonly commit: string;
  readonly firstParent: string;
  /** In queue order, with the targets at that time. Null: an outside change, which overlaps everything. */
  readonly members: readonly (PinnedHead & { readonly targets: readonly string[] | null })[] | null;
}

export interface BatchState {
  readonly id: string;
  /** Unique among live batches only: a probe takes a position before the first live batch. */
  readonly position: number;
  /**
   * A build on the tip, beside the line; nothing is built on it. `part`: a part of a bisected batch. `isolation`: finds
   * out whether the member of a red batch of one is red by itself. Both never land. `speculative`: the members on top
   * of what it assumes; it lands only if its assumed base is the tip itself. Null: the batch is in line.
   */
  readonly sideBuild: 'part' | 'isolation' | 'speculative' | null;
  readonly state: LiveBatchState;
  /** Pull request ids in queue order, with the heads this batch pinned. */
  readonly members: readonly PinnedHead[];
  /**
   * The pull requests, with their heads, that a speculative build puts between its base and its members, in queue
   * order. Otherwise empty.
   */
  readonly assumes: readonly PinnedHead[];
  /** Commits of the builds that justify a landing together if no build of its own tree does. Otherwise empty. */
  readonly restsOn: readonly string[];
  /** The batch that it assumes to land before it. Null: it was built on the base's tip. */
  readonly parentBatch: string | null;
  readonly parentCommit: string;
  /** The base's commit that the speculation starts from. */
  readonly base: string;
  /** Null while `making`. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** The commit CI runs on. Differs from `commit` in serial mode only (the pull request's own updated head). */
  readonly testedCommit: string | null;
  readonly buildKeysHash: string;
  readonly createdAt: number;
  /** When its bot pull request was opened or its checks were requested. Null before. */
  readonly buildStartedAt: number | null;
  /** The gate has accepted its landing intent: no decision about it until the landing is concluded. */
  readonly landingStarted: boolean;
  /** A landing intent is planned or started. */
  readonly landingPlanned: boolean;
  /** In order. Absent: none is needed. */
  readonly gates?: readonly GateState[];
  /** It will never land: the base moved before its landing, or, beside the line, its members do not merge. */
  readonly givenUp?: boolean;
  /** It was given up because its commit is not there any more. */
  readonly commitMissing?: boolean;
}

export interface Snapshot {
  readonly queue: {
    readonly id: string;
    readonly baseBranch: string;
    readonly tip: string;
    readonly tipTree: string;
    /** Commits that were the base's tip at some time in the last 24 h, including the present one. */
    readonly lineage: readonly string[];
    /** The tip and the previous tips, as far back as only our own landings moved it. */
    readonly ownLine: readonly string[];
    /** The repository's or the branch's pause is in force. */
    readonly paused: boolean;
    readonly haltedReason: string | null;
    /** Position to give to the next batch. */
    readonly nextPosition: number;
    /**
     * When a merge window opens or a freeze ends, if landings wait for that; `Infinity`: never. Null: landings may
     * happen now.
     */
    readonly landingsFrom: number | null;
    /** Running builds in other queues of the repository. `max_parallel_builds` limits the whole repository. */
    readonly buildsElsewhere: number;
  };
  readonly rules: QueueRules;
  /** All queued or tagged pull requests of this queue, in any order. */
  readonly pullRequests: readonly PullRequestState[];
  /** Members of live batches that are no longer queued or tagged, and why (`resetCodeOfDeparture`). Missing: 303. */
  readonly departures: readonly { readonly pullRequest: string; readonly code: ResetCode }[];
  /** Live batches only, in any order. */
  readonly batches: readonly BatchState[];
  /** Builds of live batches' tested commits, and all builds of a live batch's tree that are at most 24 h old. */
  readonly builds: readonly BuildState[];
  /** When the host was last asked again for a commit's checks (`ReadChecks`). Null: the request is about to be sent. */
  readonly readings: readonly { readonly commit: string; readonly doneAt: number | null }[];
  /** What moved the tip in the last 24 h, oldest first, without a gap up to the tip as far as known. */
  readonly landings: readonly Landing[];
  /** Recent second builds of pull requests that were red by themselves: how many passed. Absent: not known. */
  readonly secondTries?: PastResults;
  /** Known merge results. They never change. `conflictAt` is the index into `heads`; -1 if it merged to `tree`. */
  readonly mergeResults: readonly {
    readonly parent: string;
    readonly heads: readonly string[];
    readonly tree: string | null;
    readonly conflictAt: number;
  }[];
}
