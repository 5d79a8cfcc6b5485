// What the planner may say: plain data, which the service writes in the transaction that read the snapshot.
import type { BlockCode, ResetCode, BisectionPhase, PinnedHead, BatchState } from './snapshot.ts';

/** A red build, where its failed checks are the reason of a decision. */
export interface FailedBuild {
  readonly batch: string;
  readonly failedChecks: readonly string[];
}

/** In the order they are to be applied: departures from the line, pull requests, starts, announcements, landings. */
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
      /** Of a speculative build, which goes on the tip, `base`, by itself: several may be started at once. Empty elsewhere. */
      readonly assumes: readonly PinnedHead[];
      /** Of a landing that rests on builds of its parts. Empty elsewhere. */
      readonly restsOn: readonly string[];
      /** Why it exists: `new`, `optimistic` (a pass by a later green build), `bisect`, `probe` (a suspended conflict, an isolation build), `retry`. */
      readonly cause: 'new' | 'optimistic' | 'bisect' | 'probe' | 'retry';
    }
  /** The batch will never land. Its members go back in place unless another decision blocks them. */
  | {
      readonly kind: 'SupersedeBatch';
      readonly batch: string;
      readonly code: ResetCode;
      /** The pull request that caused it, when one did. Decisions of one reset share `causedBy` and `code`. */
      readonly causedBy: string | null;
      /** The build whose failed checks are the cause (301). Null: another one. */
      readonly failedBuild: FailedBuild | null;
    }
  /** The batch ended red with several members: it is superseded, its members get bisection `{group, max: halves[0].length, attempts, stand}`. */
  | {
      readonly kind: 'BisectBatch';
      readonly batch: string;
      readonly group: string;
      /** Two of them, or more where `maxBisectedBatchSize` asks for smaller ones. */
      readonly halves: readonly (readonly string[])[];
      readonly attempts: number;
      readonly phase: BisectionPhase;
      readonly text: string;
    }
  /**
   * The part beside the line has its answer, or can have none: its members are in line again, `returned`. Of a speculative build:
   * nothing asks for its answer any more; no reset is told of a member that another live batch holds.
   */
  | { readonly kind: 'ReturnBatch'; readonly batch: string; readonly code: ResetCode }
  /** The batch ended red for good: it failed. Members are blocked by BlockPullRequest, or put back by RequeuePullRequest. */
  | { readonly kind: 'FailBatch'; readonly batch: string; readonly text: string }
  | {
      readonly kind: 'BlockPullRequest';
      readonly pullRequest: string;
      readonly code: BlockCode;
      readonly text: string;
      readonly failedChecks: readonly string[];
    }
  /** Out of the line: `below`, which it stands on, is not before it. It comes back by itself. */
  | { readonly kind: 'PendPullRequest'; readonly pullRequest: string; readonly below: string }
  /** It goes behind all that are in line now. */
  | { readonly kind: 'Reorder'; readonly pullRequest: string; readonly reason: ReorderReason }
  /** Back in line after a red build of its own, its own checks being green; counts an attempt. */
  | { readonly kind: 'RequeuePullRequest'; readonly pullRequest: string; readonly failedBuild: FailedBuild }
  /** Green, its parent is the tip: write the landing intent. `evidence` is the build's commit, '' when validation was skipped. */
  | { readonly kind: 'LandBatch'; readonly batch: string; readonly evidence: string }
  /** Nothing but this final gate is between the batch and its landing, and it was not asked yet. */
  | { readonly kind: 'RunGate'; readonly batch: string; readonly workflow: string }
  | { readonly kind: 'AnnounceTop'; readonly pullRequest: string }
  /** Its build is green and its own checks still run, longer than they may. What follows is another decision. */
  | { readonly kind: 'AnnounceStuck'; readonly pullRequest: string }
  /** Ask the host for the checks of this commit: nobody is blamed for what it has not told yet. */
  | { readonly kind: 'ReadChecks'; readonly commit: string }
  /** Look again at this instant even if nothing wakes the queue (timeouts, batch_max_wait). The earliest counts. */
  | { readonly kind: 'LookAgainAt'; readonly at: number };

/** Why it goes behind those that were behind it. */
export type ReorderReason =
  /** Its build failed, and nobody is to wait for its second one. */
  | { readonly kind: 'failed'; readonly failedChecks: readonly string[] }
  /** Others are ready, and it is no likelier to land than this. */
  | { readonly kind: 'unlikely'; readonly probability: number }
  /** Others are ready, and it is still built by itself once more. */
  | { readonly kind: 'isolated_retry' };
