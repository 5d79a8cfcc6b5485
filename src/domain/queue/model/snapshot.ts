// The facts that the planner decides on, as plain data. The service loads a Snapshot in one transaction, `plan`
// decides, and the service writes the decisions in the same transaction.
//
// The batches in line have an order by `position`. Every batch has exactly one parent: the base's tip, or the commit of
// the live batch before it. A batch is immutable: members, pinned heads and parent never change; a reset makes a new
// batch. A batch lands only when its parent is the base's tip *now* and green evidence for its tree exists. In an
// optimistic pass, a red batch and the green batch on top of it land as a new batch on the tip with the members of
// both. The tree of the new batch is that of the green batch, whose build is therefore evidence for the new batch.
//
// With adaptive speculation, or with affected targets, builds are speculative and are beside the line. A speculative
// build contains the base, then the pull requests that it assumes to land first, then its members. It exists for as
// long as its result may matter. The line then contains only landings: batches on the tip, composed of the pull
// requests of green speculative builds. Evidence for its tree justifies a landing, or the green builds of its parts do.

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
  /** `pending` while the check is queued or running. */
  readonly conclusion: CheckConclusion;
  /**
   * The host's name for the event that started the run. What the run checked out depends on the event. Absent: not
   * known.
   */
  readonly event?: string;
  /**
   * When the service learned that the check runs again, in milliseconds since the epoch. Absent: no earlier attempt has
   * ended, the attempt itself has ended, or the instant is not known.
   */
  readonly heardAt?: number;
  /**
   * When the host made the workflow run of the check, in milliseconds since the epoch. Absent: not known, or
   * `otherBaseUntil` of the build is absent.
   */
  readonly workflowRunAt?: number;
}

/** The results of CI for one commit, without a verdict. `judgeBuild(build, required)` derives the verdict. */
export interface BuildState {
  readonly commit: string;
  readonly tree: string;
  /**
   * The commit of the base branch below everything that this commit adds to the base branch. '': the commit is a head
   * that did not contain the tip of its base branch when it was first read.
   */
  readonly base: string;
  readonly checks: readonly CheckState[];
  /** Whether the host says that no further check will start by itself for this commit. */
  readonly complete: boolean;
  readonly startedAt: number;
  /** When the last check ended. Null while a check runs. */
  readonly finishedAt: number | null;
  /** When the last of the checks that have ended so far ended. Null: no check has ended. */
  readonly lastEndAt: number | null;
  /**
   * Until when the host may have made workflow runs that tested this head with another base branch, in milliseconds since
   * the epoch (`decideOtherBaseUntil`). Absent: there is no such run.
   */
  readonly otherBaseUntil?: number;
  /** Whether the service stopped the build while its result was open. Absent: it did not. */
  readonly isStopped?: boolean;
  /** The attempts of its checks that the service stopped for a user. Absent: none. */
  readonly stoppedAttempts?: readonly Pick<CheckState, 'name' | 'attempt'>[];
}

export type Verdict = 'pending' | 'green' | 'red' | 'none';

/**
 * The phase of a member of a bisected batch. `in_place`: in line. `side_build`: built beside the line, which lands pull
 * requests without it in the meantime. `returned`: back in line, at the place of its batch.
 */
export type BisectionPhase = 'in_place' | 'side_build' | 'returned';

export interface PullRequestState {
  readonly id: string;
  readonly number: number;
  readonly status: 'queued' | 'tagged';
  /** The head commit that was admitted. A batch pins it. */
  readonly head: string;
  /**
   * Identifies the stack of the pull request. Neighbours of one stack share a batch. Null: the pull request is in no
   * stack.
   */
  readonly stack: string | null;
  /** Whether the host still shows an older head. Then the pull request does not land. */
  readonly isHeadUnseen: boolean;
  /** The open pull request that it is stacked on, and that must be before it in line. Null: there is none. */
  readonly below: string | null;
  /** Whether it has the barrier label. Nothing is built behind a barrier in line. */
  readonly isBarrier: boolean;
  /**
   * Place in line: lower is earlier. While the pull request is in line, only a reorder or a new commit changes the
   * rank.
   */
  readonly rank: number;
  /** Whether it was moved to the end of the line for its isolated retry. At most once since it was queued. */
  readonly reorderedForFailure: boolean;
  /**
   * How often pull requests that were ready to land passed it since it was queued, because it was unlikely to land or
   * in its isolated retry.
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
   * BisectBatch sets equal values for all members: `group` and `attempts` of the decision, and `max`, the length of the
   * first part. Only pull requests of one group share a batch, at most `max` of them. Null: its batch was not bisected
   * since it was queued.
   */
  readonly bisection: {
    readonly group: string;
    readonly max: number;
    readonly attempts: number;
    readonly phase: BisectionPhase;
  } | null;
  /** Whether `top_of_queue` was announced since the pull request was queued. */
  readonly topAnnounced: boolean;
  /** Whether `stuck` was announced since the pull request was queued. */
  readonly stuckAnnounced: boolean;
  /**
   * The affected targets of the pull request, transitively complete. Null: they are not known or not used, so the pull
   * request overlaps everything.
   */
  readonly targets: readonly string[] | null;
  /**
   * The probability that its build passes by itself, from the history of its repository and author. Between 0 and 1,
   * exclusive.
   */
  readonly successProbability: number;
  /**
   * The last merge of this head that conflicted. The heads `after` were merged onto `parent` first, in this order.
   * Null: no conflict of this head is known.
   */
  readonly conflict: { readonly parent: string; readonly after: readonly string[] } | null;
}

/** A final gate that a batch must pass. `run` is its run on the commit of the batch. Null: the gate has not started. */
export interface GateState {
  readonly workflow: string;
  readonly timeoutMins: number;
  readonly run: {
    /** `planned`: the host was not asked yet to start the gate. */
    readonly state: 'planned' | 'running' | 'passed' | 'failed';
    readonly plannedAt: number;
    /** Why the gate failed. Null unless the gate failed. */
    readonly reason: string | null;
  } | null;
}

export type LiveBatchState = 'making' | 'building' | 'landing';

export interface PinnedHead {
  readonly pullRequest: string;
  readonly head: string;
}

/** A landing, or an outside change, that moved the tip of the base branch. */
export interface Landing {
  readonly commit: string;
  readonly firstParent: string;
  /**
   * The landed pull requests in queue order, with their targets at that time. Null: an outside change, which overlaps
   * everything.
   */
  readonly members: readonly (PinnedHead & { readonly targets: readonly string[] | null })[] | null;
}

export interface BatchState {
  readonly id: string;
  /** Unique among live batches only: a probe takes a position before the first live batch. */
  readonly position: number;
  /**
   * The kind of a build beside the line. No other build is made on it. `part`: a part of a bisected batch. `isolation`:
   * a build that shows whether the only member of a red batch is red by itself. These two kinds never land.
   * `speculative`: a speculative build. It lands itself only if it assumes nothing and its base is the tip. Null: the
   * batch is in line.
   */
  readonly sideBuild: 'part' | 'isolation' | 'speculative' | null;
  readonly state: LiveBatchState;
  /** Pull request ids in queue order, with the heads that this batch pinned. */
  readonly members: readonly PinnedHead[];
  /**
   * For a speculative build, the pull requests between its base and its members, in queue order, with their heads.
   * Otherwise empty.
   */
  readonly assumes: readonly PinnedHead[];
  /** Commits of the builds that justify a landing together if no build of its own tree does. Otherwise empty. */
  readonly restsOn: readonly string[];
  /** The batch that this batch assumes to land first. Null: it was built on the tip of the base branch. */
  readonly parentBatch: string | null;
  readonly parentCommit: string;
  /** The commit of the base branch below everything that the batch adds to the base branch. */
  readonly base: string;
  /** Null while `making`. */
  readonly commit: string | null;
  readonly tree: string | null;
  /**
   * The commit that CI runs on. It differs from `commit` only in serial mode, where it is the updated head of the pull
   * request.
   */
  readonly testedCommit: string | null;
  readonly buildKeysHash: string;
  readonly createdAt: number;
  /** When its bot pull request was opened, its checks were requested, or it was known to need no build. Null before. */
  readonly buildStartedAt: number | null;
  /**
   * Whether nothing was pushed for the batch, because another build counts for it or its validation is skipped. CI then
   * has no time limit. Absent: false.
   */
  readonly needsNoBuild?: boolean;
  /**
   * Whether the landing gate has accepted the landing intent of the batch. Then nothing is decided about the batch
   * until its landing has ended.
   */
  readonly landingStarted: boolean;
  /** Whether a landing intent of the batch is planned or started. */
  readonly landingPlanned: boolean;
  /** The final gates of the batch, in order. Absent: there are none. */
  readonly gates?: readonly GateState[];
  /**
   * Whether the batch will never land: the base branch moved before its landing, the host refused the landing by a new
   * rule, or the members of a side build conflict.
   */
  readonly givenUp?: boolean;
  /** Whether the batch was given up because its commit no longer exists, or because the host refused it by a new rule. */
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
    /** The tip, and the previous tips back to the last outside change. */
    readonly ownLine: readonly string[];
    /** Whether a pause of the repository or of the base branch is in force. */
    readonly paused: boolean;
    readonly haltedReason: string | null;
    /** The position of the next batch. */
    readonly nextPosition: number;
    /**
     * When landings may happen again, because a merge window opens or a freeze ends. `Infinity`: never. Null: now. In the
     * snapshot of a turn, this may be an earlier instant, at which the turn looks again.
     */
    readonly landingsFrom: number | null;
    /**
     * The number of running builds in other queues of the repository. `max_parallel_builds` limits the whole
     * repository.
     */
    readonly buildsElsewhere: number;
  };
  readonly rules: QueueRules;
  /** All queued or tagged pull requests of this queue, in any order. */
  readonly pullRequests: readonly PullRequestState[];
  /**
   * Members of live batches that are no longer queued or tagged, and why (`resetCodeOfDeparture`). If such a member is
   * missing here, its code is 303.
   */
  readonly departures: readonly { readonly pullRequest: string; readonly code: ResetCode }[];
  /** Live batches only, in any order. */
  readonly batches: readonly BatchState[];
  /** The builds of the tested commits of live batches, and all builds of their trees that are at most 24 h old. */
  readonly builds: readonly BuildState[];
  /**
   * The commits whose checks are read from the host again (`ReadChecks`), and when the host answered. Null: not yet.
   */
  readonly readings: readonly { readonly commit: string; readonly doneAt: number | null }[];
  /** The moves of the tip in the last 24 h, oldest first, as far as known without a gap up to the tip. */
  readonly landings: readonly Landing[];
  /** The results of recent second builds of pull requests that were red by themselves. Absent: not known. */
  readonly secondTries?: PastResults;
  /**
   * Known results of merging `heads` onto `parent` in order. `conflictAt` is the index of the head that conflicted; -1
   * if all heads merged to `tree`. A result never changes.
   */
  readonly mergeResults: readonly {
    readonly parent: string;
    readonly heads: readonly string[];
    readonly tree: string | null;
    readonly conflictAt: number;
  }[];
}
