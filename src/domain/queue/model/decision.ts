// The decisions of the planner are plain data. The service writes them in the transaction that read the snapshot.
import type { BlockCode, ResetCode, BisectionPhase, PinnedHead, BatchState } from './snapshot.ts';

/** A red build whose failed checks are the reason for a decision. */
export interface FailedBuild {
  readonly batch: string;
  readonly failedChecks: readonly string[];
}

/**
 * The planner returns decisions in the order in which they are applied: departures from the line, starts of batches,
 * announcements, landings.
 */
export type Decision =
  /**
   * Creates a batch in state `making`. Its `position` is the end of the line. A probe is before the first live batch.
   */
  | {
      readonly kind: 'StartBatch';
      readonly position: number;
      readonly members: readonly PinnedHead[];
      readonly parentBatch: string | null;
      readonly parentCommit: string;
      readonly base: string;
      readonly sideBuild: BatchState['sideBuild'];
      /**
       * For a speculative build, the pull requests that it contains between `base` and its members. Otherwise empty.
       */
      readonly assumes: readonly PinnedHead[];
      /** For a landing that builds of its parts justify, the commits of these builds. Otherwise empty. */
      readonly restsOn: readonly string[];
      /**
       * Why the batch starts. `optimistic`: it lands pull requests on the evidence of other builds. `bisect`: it is a
       * part of a red batch. `probe`: it shows whether a pull request still conflicts, or is red by itself. `retry`:
       * its pull request is built once more.
       */
      readonly cause: 'new' | 'optimistic' | 'bisect' | 'probe' | 'retry';
    }
  /** Ends the batch without a landing. Its members return to their places unless another decision blocks them. */
  | {
      readonly kind: 'SupersedeBatch';
      readonly batch: string;
      readonly code: ResetCode;
      /**
       * The pull request that caused the reset. Null: none did. All decisions of one reset share `causedBy` and `code`.
       */
      readonly causedBy: string | null;
      /** The build whose failed checks caused the reset (code 301). Null: the reset has another cause. */
      readonly failedBuild: FailedBuild | null;
    }
  /**
   * Ends a red batch of several members. The members get the bisection `{group, max: halves[0].length, attempts,
   * phase}`.
   */
  | {
      readonly kind: 'BisectBatch';
      readonly batch: string;
      readonly group: string;
      /** Two halves, or more and smaller parts if `maxBisectedBatchSize` asks for them. */
      readonly halves: readonly (readonly string[])[];
      readonly attempts: number;
      readonly phase: BisectionPhase;
      readonly text: string;
    }
  /**
   * Ends a build beside the line. A part of a bisected batch ends when it has a result, or cannot get one. Its members
   * return to the line, in phase `returned`. A speculative build ends when its result no longer matters. No reset is
   * recorded for a member that is also in another live batch.
   */
  | { readonly kind: 'ReturnBatch'; readonly batch: string; readonly code: ResetCode }
  /**
   * Ends a batch that failed for good. BlockPullRequest blocks its members, or RequeuePullRequest puts them back in
   * line.
   */
  | { readonly kind: 'FailBatch'; readonly batch: string; readonly text: string }
  | {
      readonly kind: 'BlockPullRequest';
      readonly pullRequest: string;
      readonly code: BlockCode;
      readonly text: string;
      readonly failedChecks: readonly string[];
    }
  /**
   * Takes a stacked pull request out of the line, because the pull request `below` it in the stack is not before it in
   * line. The pull request becomes pending, and is queued again without a request.
   */
  | { readonly kind: 'PendPullRequest'; readonly pullRequest: string; readonly below: string }
  /** Moves the pull request behind all other pull requests in line. */
  | { readonly kind: 'Reorder'; readonly pullRequest: string; readonly reason: ReorderReason }
  /**
   * Puts a pull request back in line, because its build was red and its own checks are green. The attempt is counted.
   */
  | { readonly kind: 'RequeuePullRequest'; readonly pullRequest: string; readonly failedBuild: FailedBuild }
  /**
   * Plans the landing of a green batch whose parent is the tip. `evidence` is the commit of the green build; '' if
   * validation was skipped.
   */
  | { readonly kind: 'LandBatch'; readonly batch: string; readonly evidence: string }
  /** Starts the next final gate of a batch that meets all other conditions of a landing. */
  | { readonly kind: 'RunGate'; readonly batch: string; readonly workflow: string }
  | { readonly kind: 'AnnounceTop'; readonly pullRequest: string }
  /**
   * Reports that the pull request is stuck: its build is green, but its own checks run longer than allowed. Any
   * consequence is a separate decision.
   */
  | { readonly kind: 'AnnounceStuck'; readonly pullRequest: string }
  /**
   * Reads the checks of this commit from the host again. No build or pull request counts as too slow before the newest
   * results are known.
   */
  | { readonly kind: 'ReadChecks'; readonly commit: string }
  /**
   * Plans again at this instant, even without an event: for a timeout or `batch_max_wait_minutes`. The earliest instant counts.
   */
  | { readonly kind: 'PlanAgainAt'; readonly at: number };

/** Why a pull request is moved to the end of the line. */
export type ReorderReason =
  /** The build of the pull request failed, and the pull requests behind it should not wait for its second build. */
  | { readonly kind: 'failed'; readonly failedChecks: readonly string[] }
  /** Other pull requests are ready to land, and the `probability` that this one lands is low. */
  | { readonly kind: 'unlikely'; readonly probability: number }
  /** Other pull requests are ready to land, and the isolated retry of this one has not ended. */
  | { readonly kind: 'isolated_retry' };
