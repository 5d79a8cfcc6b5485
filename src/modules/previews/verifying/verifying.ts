// What a worker needs, besides the ports, to carry out verifications.
import type { Context } from '../../../context.ts';
import type { CheckOutcome } from '../../../domain/previews/verification.status.ts';
import type { Analysis } from '../../../platform/analysis/port.ts';
import type { InTurn } from '../../../platform/at-most.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { AppDriver } from '../../../platform/driving/port.ts';
import type { PreviewGateway } from '../../../platform/previews/gateway.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';
import type { Secrets } from '../../accounts/index.ts';

export interface VerificationPorts {
  readonly secrets: Secrets;
  /** The places where sandboxes run. The first place that can boot an image boots it. */
  readonly sandboxes: readonly PreviewSandboxes[];
  /** Limits how many sandboxes run at once. Left out: there is no limit. */
  readonly inTurn?: InTurn;
  /** The gateway through which servers reach the sandboxes of this process. */
  readonly gateway: PreviewGateway;
  readonly driver: AppDriver;
  /** Analyses the code if no preview is available. */
  readonly analysis: Analysis;
  /**
   * Writes the result of a check of a commit, and wakes the queue. It is passed in, because the queue imports this
   * module.
   */
  readonly recordCheck: RecordCheck;
  /**
   * Aborted when this process stops. Then the verifications of this process stop, and another process starts them
   * again.
   */
  readonly signal?: AbortSignal;
}

export interface ServiceCheck {
  readonly repositoryId: string;
  readonly commit: string;
  readonly name: string;
  readonly attempt: number;
  readonly outcome: CheckOutcome;
  readonly summary: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** Locks the rows of queues, so the caller must not have locked any other row before. */
export type RecordCheck = (ctx: Context, tx: Transaction, check: ServiceCheck) => Promise<void>;
