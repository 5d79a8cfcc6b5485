// What the planner sees, as plain data: the service loads a Snapshot in one
// transaction, `plan` decides, the service writes the decisions in that same transaction.
//
// The model in one paragraph. The line of a queue is its live batches in order of `position`. Every batch
// has exactly one parent: the base's tip, or the commit of the live batch before it (its assumption). A batch
// is immutable: members, pinned heads and parent never change; a reset makes a new batch. A batch lands only
// when its parent is the base's tip *now* and green evidence for its tree exists. An optimistic pass is
// therefore a new batch (all members of the red one and of the green one on top of it) on the tip, whose tree
// is found green by look-up as soon as its commit is made.
//
// With adaptive speculation, or with affected targets, builds are speculative and stand beside the line: base + what is assumed to land
// before + members. They live for as long as their answer may matter. The line then holds landings alone: batches on
// the tip, composed of what green speculative builds hold, justified by look-up of their tree or by the speculative builds they rest on.

import type { TrackRecord } from './success-probability.ts';
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

export type MergeStrategy = 'squash' | 'merge' | 'rebase';

export type CheckConclusion =
  | 'success'
  | 'pending'
  | 'failure'
  | 'cancelled'
  | 'timed_out'
  | 'skipped'
  | 'neutral'
  | 'action_required'
  | 'stale'
  | 'unknown'
  | 'error'
  | 'blocked'
  | 'missing';

/** A required check: a name or a glob of names (`*` is any run of characters), and what counts as passing. */
export interface RequiredCheck {
  readonly name: string;
  readonly acceptableStatuses: readonly CheckConclusion[];
  /** It comes by itself, whatever the host says of its list: while it is missing it is pending. */
  readonly isAwaited?: boolean;
}

/** The part of the configuration the planner reads. Derived from the YAML by `domain/configuration`. */
export interface QueueRules {
  readonly mode: 'serial' | 'parallel' | 'no-queue';
  /** Builds running at once in this queue. Null: no limit. Serial mode behaves as 1. */
  readonly maxParallelBuilds: number | null;
  readonly batchSize: number;
  readonly batchMaxWaitMinutes: number;
  readonly useOptimisticValidation: boolean;
  readonly optimisticValidationFailureDepth: number;
  readonly maxRequeueAttempts: number;
  readonly ciTimeoutMins: number;
  /** How long a build may stay without any check. 0: as long as it likes. */
  readonly checksStartedTimeoutMins: number;
  /** Builds running at once while the queue is paused. Null: none. */
  readonly maxParallelPausedBuilds: number | null;
  /** Builds beyond `maxParallelBuilds`, one for each that only waits for its pull requests' own checks. */
  readonly maxTopupBuilds: number;
  /** How often a red batch is bisected before all that is left of it is blamed. Null: until each failure stands alone. */
  readonly maxBisectionAttempts: number | null;
  /** How many pull requests a part of a bisected batch holds at most. Null: half of it. */
  readonly maxBisectedBatchSize: number | null;
  /** The parts of a red batch are built beside the line, all at once. */
  readonly useParallelBisection: boolean;
  /** Parts built at once, within `maxParallelBuilds`. Null: as many as that allows. */
  readonly maxParallelBisectedBuilds: number | null;
  /** One that is red behind undecided ones is asked alone on the tip. */
  readonly useProactiveDequeue: boolean;
  readonly proactiveDequeueDelaySeconds: number;
  /** Label of a barrier. Null: there are none. */
  readonly barrierLabel: string | null;
  /** How long own checks may run on after the build went green. Null: as long as they like. */
  readonly stuckTimeoutMins: number | null;
  /** A stuck pull request is told of, and waited for. */
  readonly bypassStuckState: boolean;
  /** The build of a pull request's own head, up to date and green, is evidence: no bot pull request is needed. */
  readonly skipDraftWhenUpToDate: boolean;
  readonly strategy: MergeStrategy;
  readonly batchCommit: 'group' | 'linear';
  /** Checks a build's commit must pass: null means every check that ran (at least one). */
  readonly requiredChecks: readonly RequiredCheck[] | null;
  /** Checks a pull request's own head must pass: same reading. */
  readonly ownRequiredChecks: readonly RequiredCheck[] | null;
  /** Names and globs of checks that are tried again once when they fail. Null: none is. */
  readonly retriableChecks: readonly string[] | null;
  /** A green build also waits for what else still runs on its commit, for a while. */
  readonly waitsForPendingWorkflows: boolean;
  /** Workflows between a green build and its landing, in order. Empty outside of the parallel mode. */
  readonly finalGates: readonly FinalGate[];
  /** How builds are chosen: each assumes that all before it pass, or by how likely they are to be needed. */
  readonly speculation: 'linear' | 'adaptive';
  /** Pull requests whose affected targets are disjoint do not wait for one another. */
  readonly useAffectedTargets: boolean;
  /** Changes of these keys make every build worthless (reset 307). A digest of the build keys. */
  readonly buildKeysHash: string;
}

/** Builds stand beside the line, which holds landings alone. */
export function buildsSpeculatively(rules: Pick<QueueRules, 'mode' | 'speculation' | 'useAffectedTargets'>): boolean {
  return rules.mode === 'parallel' && (rules.speculation === 'adaptive' || rules.useAffectedTargets);
}

export interface CheckState {
  readonly name: string;
  readonly attempt: number;
  /** `pending` while it is queued or running. */
  readonly conclusion: CheckConclusion;
}

/** CI's word on one commit. Facts only: the verdict is derived by `judgeBuild(build, required)`. */
export interface BuildState {
  readonly commit: string;
  readonly tree: string;
  /** The base's commit at the bottom of the speculation this commit was built on. */
  readonly base: string;
  readonly checks: readonly CheckState[];
  /** The host says no further check will start by itself for this commit. */
  readonly complete: boolean;
  /** Canceled builds prove nothing. */
  readonly canceled: boolean;
  readonly startedAt: number;
  /** When the last check ended. Null while one runs. */
  readonly finishedAt: number | null;
  /** When the latest of those that have ended so far did. Null: none has. */
  readonly lastEndAt: number | null;
}

export type Verdict = 'pending' | 'green' | 'red' | 'none';

/**
 * Where a member of a bisected batch stands: `in_place`; in a `side_build`, while the line goes on without it; `returned` from
 * there, in line wherever its batch is.
 */
export type BisectionPhase = 'in_place' | 'side_build' | 'returned';

export interface PullRequestState {
  readonly id: string;
  readonly number: number;
  readonly status: 'queued' | 'tagged';
  /** The head that was admitted; a batch pins it. */
  readonly head: string;
  /** Stands for the stack it belongs to: neighbours in line of one stack share a batch. Null: none. */
  readonly stack: string | null;
  /** The pull request it stands on, while that is open: it is in line only behind that one. Null: none. */
  readonly below: string | null;
  /** It carries the barrier's label: while it is in line, nothing behind it is built. */
  readonly isBarrier: boolean;
  /** Place in line: lower is earlier. Never changes while queued, except by skip line and when it is reordered. */
  readonly rank: number;
  /** It failed, and went behind all in line while it is built once more: at most once since it was queued. */
  readonly reorderedForFailure: boolean;
  /** How often others that were ready passed it since it was queued, as it was unlikely to land or in its isolated retry. */
  readonly timesPassed: number;
  readonly skipLine: boolean;
  readonly skipValidation: boolean;
  readonly queuedAt: number;
  readonly requeueAttempts: number;
  /** Verdict of its own required checks on its head (`none`: no check has been seen yet). */
  readonly ownVerdict: Verdict;
  /** Names of its own required checks that failed. Empty unless `ownVerdict` is red. */
  readonly ownFailedChecks: readonly string[];
  /** Those of them that never ran. */
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
  /** What it affects, transitively complete. Null: not known, or targets are not used; then it overlaps everything. */
  readonly targets: readonly string[] | null;
  /** How likely its build passes, by itself, from the history of its repository and author: more than 0 and less than 1. */
  readonly successProbability: number;
  /** Last merge of this very head that conflicted: on `parent` after the heads `after`, in order. A new head clears it. */
  readonly conflict: { readonly parent: string; readonly after: readonly string[] } | null;
}

/** A final gate that a batch has to pass, with its run on the batch's commit. Null: it was not asked yet. */
export interface GateState {
  readonly workflow: string;
  readonly timeoutMins: number;
  readonly run: {
    /** `planned`: the host has not been asked yet. */
    readonly state: 'planned' | 'running' | 'passed' | 'failed';
    readonly plannedAt: number;
    /** Why it failed. Null unless it did. */
    readonly reason: string | null;
  } | null;
}

export type LiveBatchState = 'making' | 'building' | 'landing';

export interface PinnedHead {
  readonly pullRequest: string;
  readonly head: string;
}

/** What moved the base's tip. */
export interface Landing {
  readonly commit: string;
  readonly firstParent: string;
  /** In queue order, with the targets they had. Null: it is none of ours, and overlaps everything. */
  readonly members: readonly (PinnedHead & { readonly targets: readonly string[] | null })[] | null;
}

export interface BatchState {
  readonly id: string;
  /** Unique among live batches only: a probe takes the position below the first live one. */
  readonly position: number;
  /**
   * Built on the tip, beside the line: nothing stands on it. A `part` of a bisected batch, or an `isolation` build,
   * which finds out whether the member of a red batch of one is red by itself: neither lands. A `speculative` build is its
   * members on what it assumes, and lands only where that is the tip itself. Null: in line.
   */
  readonly sideBuild: 'part' | 'isolation' | 'speculative' | null;
  readonly state: LiveBatchState;
  /** Pull request ids in queue order, with the heads this batch pinned. */
  readonly members: readonly PinnedHead[];
  /** Pull requests with the heads a speculative build puts between its base and its members, in queue order. Empty elsewhere. */
  readonly assumes: readonly PinnedHead[];
  /** Commits of the builds that justify a landing together, where no build of its own tree does. Empty elsewhere. */
  readonly restsOn: readonly string[];
  /** The batch it assumes to land before it. Null: it was built on the base's tip. */
  readonly parentBatch: string | null;
  readonly parentCommit: string;
  /** The base's commit at the bottom of the speculation. */
  readonly base: string;
  /** Null while `making`. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** The commit CI runs on. Differs from `commit` in serial mode only (the pull request's own updated head). */
  readonly testedCommit: string | null;
  readonly buildKeysHash: string;
  readonly createdAt: number;
  /** When its bot pull request was opened or its checks were asked for. Null before. */
  readonly buildStartedAt: number | null;
  /** Its landing intent has passed the gate: nothing that concerns it may be decided until it is concluded. */
  readonly landingBegun: boolean;
  /** A landing intent is planned or begun. */
  readonly landingPlanned: boolean;
  /** In order. Left out: it needs none. */
  readonly gates?: readonly GateState[];
  /** It never lands: the base had moved when it was to, or, beside the line, its members do not merge by themselves. */
  readonly givenUp?: boolean;
}

export interface Snapshot {
  readonly queue: {
    readonly id: string;
    readonly baseBranch: string;
    readonly tip: string;
    readonly tipTree: string;
    /** Commits that were the base's tip at some time in the last 24 h, the present one included. */
    readonly lineage: readonly string[];
    /** The tip, and what it was before: as far back as none but landings of ours have moved it. */
    readonly ownLine: readonly string[];
    /** The repository's or the branch's pause is in force. */
    readonly paused: boolean;
    readonly haltedReason: string | null;
    /** Position to give to the next batch. */
    readonly nextPosition: number;
    /** Landings wait for a merge window or the end of a freeze until then, never being `Infinity`. Null: they may happen now. */
    readonly landingsFrom: number | null;
    /** Builds running in other queues of the repository: `max_parallel_builds` bounds the repository. */
    readonly buildsElsewhere: number;
  };
  readonly rules: QueueRules;
  /** Everything queued or tagged in this queue, in any order. */
  readonly pullRequests: readonly PullRequestState[];
  /** Members of live batches that are neither queued nor tagged any more, and why (`resetCodeOfDeparture`). Missing: 303. */
  readonly departures: readonly { readonly pullRequest: string; readonly code: ResetCode }[];
  /** Live batches only, in any order. */
  readonly batches: readonly BatchState[];
  /** Builds of live batches' tested commits and every build of a live batch's tree that is at most 24 h old. */
  readonly builds: readonly BuildState[];
  /** When the host was last asked anew for a commit's checks (`ReadChecks`). Null: it is about to be. */
  readonly readings: readonly { readonly commit: string; readonly doneAt: number | null }[];
  /** What moved the tip in the last 24 h, oldest first: unbroken back from the tip as far as it is known. */
  readonly landings: readonly Landing[];
  /** Of the builds that lately were made once more because one was red by itself: how many passed. Left out: not known. */
  readonly secondTries?: TrackRecord;
  /** Known merges: true for ever. `conflictAt` is the index into `heads`; -1 when it merged to `tree`. */
  readonly mergeResults: readonly {
    readonly parent: string;
    readonly heads: readonly string[];
    readonly tree: string | null;
    readonly conflictAt: number;
  }[];
}

/** As configured. */
export interface FinalGate {
  readonly workflow: string;
  readonly timeoutMins: number;
  /** Only batches with a member that carries it are asked. Null: all are. */
  readonly label: string | null;
}
