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
  /** The gate runs only for batches with a member that has this label. Null: for all batches. */
  readonly label: string | null;
}

/** A required check: a name or a glob of names (`*` is any run of characters), and its passing conclusions. */
export interface RequiredCheck {
  readonly name: string;
  readonly acceptableStatuses: readonly CheckConclusion[];
  /**
   * Whether the check is expected to start by itself. Such a check counts as pending while it is missing, even if the
   * host says that no further check will start.
   */
  readonly isAwaited?: boolean;
}

export interface QueueRules {
  readonly mode: 'serial' | 'parallel' | 'no-queue';
  /** How many builds of this queue may run at once. Null: no limit. In serial mode: one. */
  readonly maxParallelBuilds: number | null;
  readonly batchSize: number;
  readonly batchMaxWaitMinutes: number;
  readonly useOptimisticValidation: boolean;
  readonly optimisticValidationFailureDepth: number;
  readonly maxRequeueAttempts: number;
  readonly ciTimeoutMins: number;
  /** How long a build may be without any check. 0: no limit. */
  readonly checksStartedTimeoutMins: number;
  /** How many builds may run at once while the queue is paused. Null: none. */
  readonly maxParallelPausedBuilds: number | null;
  /**
   * How many builds may run beyond `maxParallelBuilds`. Each build that only waits for the own checks of its pull
   * requests allows one more.
   */
  readonly maxTopupBuilds: number;
  /**
   * How often a red batch is bisected before all remaining members count as failed. Null: until each failing pull
   * request is alone.
   */
  readonly maxBisectionAttempts: number | null;
  /** The greatest number of pull requests in a part of a bisected batch. Null: half of the batch. */
  readonly maxBisectedBatchSize: number | null;
  /** Whether the parts of a red batch are built beside the line, all at once. */
  readonly useParallelBisection: boolean;
  /** How many parts are built at once, within `maxParallelBuilds`. Null: only `maxParallelBuilds` limits them. */
  readonly maxParallelBisectedBuilds: number | null;
  /** Whether a red batch behind other batches gets an isolation build on the tip. */
  readonly useProactiveDequeue: boolean;
  readonly proactiveDequeueDelaySeconds: number;
  /** Label of a barrier. Null: there are no barriers. */
  readonly barrierLabel: string | null;
  /** How long the own checks of a pull request may run after its build went green. Null: no limit. */
  readonly stuckTimeoutMins: number | null;
  /** Whether a stuck pull request is only announced, and stays in line. */
  readonly bypassStuckState: boolean;
  /** Whether the green build of a head commit that is up to date is evidence, so that no bot pull request is needed. */
  readonly skipDraftWhenUpToDate: boolean;
  readonly strategy: MergeStrategy;
  readonly batchCommit: 'group' | 'linear';
  /** Checks that a build's commit must pass. Null: every check that ran (at least one). */
  readonly requiredChecks: readonly RequiredCheck[] | null;
  /** Checks that the head commit of a pull request must pass. Null: every check that ran (at least one). */
  readonly ownRequiredChecks: readonly RequiredCheck[] | null;
  /** Names and globs of checks that are retried once when they fail. Null: none. */
  readonly retriableChecks: readonly string[] | null;
  /** Whether a green build also waits, for a limited time, for other checks that still run on its commit. */
  readonly waitsForPendingWorkflows: boolean;
  /** Workflows between a green build and its landing, in order. Empty unless in parallel mode. */
  readonly finalGates: readonly FinalGate[];
  /**
   * How builds are chosen. `linear`: each build assumes that all earlier pull requests pass. `adaptive`: the builds
   * start that are most probably needed.
   */
  readonly speculation: 'linear' | 'adaptive';
  /** Whether pull requests with disjoint affected targets land without waiting for one another. */
  readonly useAffectedTargets: boolean;
  /**
   * Whether the host accepts only commits that were built themselves. Then a build of another commit with the same tree
   * is no evidence.
   */
  readonly landsBuiltCommitsOnly?: boolean;
  /**
   * A digest of the configuration keys that affect builds. A change of such a key makes every build worthless (reset
   * 307).
   */
  readonly buildKeysHash: string;
}

/** Whether the builds of the queue are speculative. Then they are beside the line, and only landings are in line. */
export function buildsSpeculatively(rules: Pick<QueueRules, 'mode' | 'speculation' | 'useAffectedTargets'>): boolean {
  return rules.mode === 'parallel' && (rules.speculation === 'adaptive' || rules.useAffectedTargets);
}
