// What decides the next step of a deployment, and of the build of a candidate.
import type { CandidateStatus, DeploymentStatus, ProviderSettings } from './release.ts';

/** The progress of a run at a provider. Instants are milliseconds since the epoch. */
export interface RunSituation {
  readonly provider: ProviderSettings;
  /** When the provider accepted the run. Null: the provider has not accepted the run yet. */
  readonly triggeredAt: number | null;
  readonly cancelSentAt: number | null;
  /** The provider is not called before this instant. Null: the provider can be called now. */
  readonly callAt: number | null;
  /** How many calls or supervised attempts were made in a row. */
  readonly calls: number;
  /** The last failure. Null: no failure is known. */
  readonly problem: string | null;
  /** Since when supervised attempts fail because of the code host. Null: the last one did not. */
  readonly failingSince: number | null;
  /** Until when a worker holds the lease of the run. Null: no worker holds the lease. */
  readonly supervisedUntil: number | null;
}

export interface DeploymentSituation extends RunSituation {
  readonly status: DeploymentStatus;
  /** Whether a report created the deployment. The service never triggers such a deployment. */
  readonly isReported: boolean;
  readonly triggerStartedAt: number | null;
  /** Whether a report, or the provider, has said since the start that the deployment is in progress. */
  readonly isReportedSinceStart: boolean;
  /** Which deployment may change the environment now. */
  readonly slot: 'ours' | 'free' | 'taken';
  /** Whether the deployment is the next in line for the slot. */
  readonly isFirstInLine: boolean;
  /** The freeze that holds the deployment. `until` null: until somebody ends the freeze. */
  readonly freeze: { readonly until: number | null } | null;
  /** When the status was last reported or written. */
  readonly statusAt: number;
  readonly reportTimeoutSec: number;
  /** When a user last canceled the deployment. */
  readonly cancelRequestedAt: number | null;
  /** Whether the deployment was canceled without the slot, and its provider has not been notified yet. */
  readonly cancelPending: boolean;
  /** Whether the deployment was started at a provider that its environment no longer has. */
  readonly isElsewhere: boolean;
}

export interface BuildSituation extends RunSituation {
  readonly status: CandidateStatus;
  readonly isCanceled: boolean;
  readonly createdAt: number;
  readonly timeoutSec: number;
}
