// What driving verifications needs besides the ports.
import type { Context } from '../../../context.ts';
import type { CheckOutcome } from '../../../domain/previews/verification.status.ts';
import type { Analysis } from '../../../platform/analysis/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { AppDriver } from '../../../platform/driving/port.ts';
import type { PreviewGateway } from '../../../platform/previews/gateway.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';
import type { Secrets } from '../../accounts/index.ts';

export interface Verifying {
  readonly secrets: Secrets;
  /** The places where sandboxes run. The first place that can boot an image boots it. */
  readonly sandboxes: readonly PreviewSandboxes[];
  /** The gateway through which servers reach the sandboxes of this process. */
  readonly gateway: PreviewGateway;
  readonly driver: AppDriver;
  /** Judges the code where no preview came up. */
  readonly analysis: Analysis;
  /**
   * Writes what the check of a commit says, and has the queue look at it. Handed in: the queue begins verifications
   * itself.
   */
  readonly recordCheck: RecordCheck;
  /** Aborted when this process can supervise no longer. What it drives is ended, and another begins it again. */
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

/** Takes queues' rows: called before any other row is locked. */
export type RecordCheck = (ctx: Context, tx: Transaction, check: ServiceCheck) => Promise<void>;
