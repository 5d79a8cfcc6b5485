// The planner's decisions: plain data that the service writes in the transaction that read the snapshot.
import type { BlockCode, ResetCode, BisectionPhase, PinnedHead, BatchState } from './snapshot.ts';

/** A red build whose failed checks are the reason for a decision. */
export interface FailedBuild {
  readonly batch: string;
  readonly failedChecks: readonly string[];
}

/** In the order of application: departures from the line, pull requests, starts, announcements, landings. */
export type Decision =
  /** Create a batch (state `making`) at `position`: the end of the line, or before it for a probe. */
  | {
      readonly kind: 'StartBatch';
      readonly position: number;
      readonly members: readonly PinnedHead[];
      readonly parentBatch: string | null;
      readonly parentCommit: string;
      readonly base: string;
      readonly sideBuild: BatchState['sideBuild'];
      /**
       * For a speculative build, the pull requests between the tip, `base`, and its members. Several may start at once.
       * Otherwise empty.
       */
      readonly assumes: readonly PinnedHead[];
      /** For a landing that is justified by builds of its parts, those builds. Otherwise empty. */
      readonly restsOn: readonly string[];
      /**
       * Why it exists: `new`, `optimistic` (a pass by a later green build), `bisect`, `probe` (a suspended conflict, an
       * isolation build), `retry`.
       */
      readonly cause: 'new' | 'optimistic' | 'bisect' | 'probe' | 'retry';
    }
  /** The batch will never land. Its members go back in place unless another decision blocks them. */
  | {
      readonly kind: 'SupersedeBatch';
      readonly batch: string;
      readonly code: ResetCode;
      /** The pull request that caused the reset, if one did. All decisions of one reset share `causedBy` and `code`. */
      readonly causedBy: string | null;
      /** The build whose failed checks are the cause (301). Null: another cause. */
      readonly failedBuild: FailedBuild | null;
    }
  /**
   * The batch ended red with several members. It is superseded, and its members get bisection `{group, max:
   * halves[0].length, attempts, stand}`.
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
   * The part beside the line has its result, or cannot have one. Its members are in line again, in phase `returned`.
   * For a speculative build: its result no longer matters. No reset is recorded for a member that another live batch
   * holds.
   */
  | { readonly kind: 'ReturnBatch'; readonly batch: string; readonly code: ResetCode }
  /** The batch failed for good. BlockPullRequest blocks its members, or RequeuePullRequest puts them back in line. */
  | { readonly kind: 'FailBatch'; readonly batch: string; readonly text: string }
  | {
      readonly kind: 'BlockPullRequest';
      readonly pullRequest: string;
      readonly code: BlockCode;
      readonly text: string;
      readonly failedChecks: readonly string[];
    }
  /**
   * Takes the pull request out of the line because `below`, which it is stacked on, is not before it. It returns
   * without a request.
   */
  | { readonly kind: 'PendPullRequest'; readonly pullRequest: string; readonly below: string }
  /** Moves the pull request behind all that are in line now. */
  | { readonly kind: 'Reorder'; readonly pullRequest: string; readonly reason: ReorderReason }
  /** Puts the pull request back in line after its own build was red and its own checks green. Counts an attempt. */
  | { readonly kind: 'RequeuePullRequest'; readonly pullRequest: string; readonly failedBuild: FailedBuild }
  /**
   * The batch is green and its parent is the tip: write the landing intent. `evidence` is the build's commit, '' if
   * validation was skipped.
   */
  | { readonly kind: 'LandBatch'; readonly batch: string; readonly evidence: string }
  /** Only this final gate is between the batch and its landing, and it was not asked yet. */
  | { readonly kind: 'RunGate'; readonly batch: string; readonly workflow: string }
  | { readonly kind: 'AnnounceTop'; readonly pullRequest: string }
  /** Its build is green, and its own checks have run longer than they may. Another decision says what follows. */
  | { readonly kind: 'AnnounceStuck'; readonly pullRequest: string }
  /** Ask the host for the checks of this commit: nobody is blamed before the host has reported its newest state. */
  | { readonly kind: 'ReadChecks'; readonly commit: string }
  /** Look again at this instant even without an event (timeouts, batch_max_wait). The earliest instant counts. */
  | { readonly kind: 'LookAgainAt'; readonly at: number };

/** Why the pull request goes to the end of the line. */
export type ReorderReason =
  /** Its build failed, and nobody should wait for its second build. */
  | { readonly kind: 'failed'; readonly failedChecks: readonly string[] }
  /** Other pull requests are ready to land, and its probability of landing is this low. */
  | { readonly kind: 'unlikely'; readonly probability: number }
  /** Other pull requests are ready to land, and it is still in its isolated retry. */
  | { readonly kind: 'isolated_retry' };
