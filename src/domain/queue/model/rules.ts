// The rules of one queue: the part of the configuration that the planner reads. `domain/configuration` derives them.

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

/** A final gate, as configured. */
export interface FinalGate {
  readonly workflow: string;
  readonly timeoutMins: number;
  /** Only batches with a member that has this label are asked. Null: all batches. */
  readonly label: string | null;
}

/** A required check: a name or a glob of names (`*` is any run of characters), and its passing conclusions. */
export interface RequiredCheck {
  readonly name: string;
  readonly acceptableStatuses: readonly CheckConclusion[];
  /** The check starts by itself. While it is missing it is pending, even if the host says that the list is complete. */
  readonly isAwaited?: boolean;
}

/** The part of the configuration that the planner reads. `domain/configuration` derives it from the YAML. */
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
  /** How long a build may be without any check. 0: no limit. */
  readonly checksStartedTimeoutMins: number;
  /** Builds running at once while the queue is paused. Null: none. */
  readonly maxParallelPausedBuilds: number | null;
  /**
   * Additional builds beyond `maxParallelBuilds`, one for each build that only waits for its pull requests' own checks.
   */
  readonly maxTopupBuilds: number;
  /** How often a red batch is bisected before all remaining members are blamed. Null: until each failure is alone. */
  readonly maxBisectionAttempts: number | null;
  /** The greatest number of pull requests in a part of a bisected batch. Null: half of the batch. */
  readonly maxBisectedBatchSize: number | null;
  /** The parts of a red batch are built beside the line, all at once. */
  readonly useParallelBisection: boolean;
  /** How many parts are built at once, within `maxParallelBuilds`. Null: as many as that allows. */
  readonly maxParallelBisectedBuilds: number | null;
  /** A batch that is red behind undecided ones gets an isolation build on the tip. */
  readonly useProactiveDequeue: boolean;
  readonly proactiveDequeueDelaySeconds: number;
  /** Label of a barrier. Null: there are no barriers. */
  readonly barrierLabel: string | null;
  /** How long own checks may run after the build went green. Null: no limit. */
  readonly stuckTimeoutMins: number | null;
  /** A stuck pull request is announced and stays in line. */
  readonly bypassStuckState: boolean;
  /** A green build of an up-to-date head is evidence: no bot pull request is needed. */
  readonly skipDraftWhenUpToDate: boolean;
  readonly strategy: MergeStrategy;
  readonly batchCommit: 'group' | 'linear';
  /** Checks that a build's commit must pass. Null: every check that ran (at least one). */
  readonly requiredChecks: readonly RequiredCheck[] | null;
  /** Checks that a pull request's own head must pass. Null has the same meaning. */
  readonly ownRequiredChecks: readonly RequiredCheck[] | null;
  /** Names and globs of checks that are retried once when they fail. Null: none. */
  readonly retriableChecks: readonly string[] | null;
  /** A green build also waits, for a limited time, for other checks that still run on its commit. */
  readonly waitsForPendingWorkflows: boolean;
  /** Workflows between a green build and its landing, in order. Empty unless in parallel mode. */
  readonly finalGates: readonly FinalGate[];
  /**
   * How builds are chosen. `linear`: each assumes that all before it pass. `adaptive`: by the probability that they are
   * needed.
   */
  readonly speculation: 'linear' | 'adaptive';
  /** Pull requests with disjoint affected targets do not wait for one another. */
  readonly useAffectedTargets: boolean;
  /** The host takes only commits that were built themselves. Another commit's build of the same tree is no evidence. */
  readonly landsBuiltCommitsOnly?: boolean;
  /** A digest of the build keys. A change of one of these keys makes every build worthless (reset 307). */
  readonly buildKeysHash: string;
}

/** Builds are beside the line, which contains only landings. */
export function buildsSpeculatively(rules: Pick<QueueRules, 'mode' | 'speculation' | 'useAffectedTargets'>): boolean {
  return rules.mode === 'parallel' && (rules.speculation === 'adaptive' || rules.useAffectedTargets);
}
