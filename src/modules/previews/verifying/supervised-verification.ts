// The values that are passed to the functions that boot, test and judge a preview.
import type { Context } from '../../../context.ts';
import type { Verdict } from '../../../domain/previews/preview.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { Lease } from '../../../platform/turns/index.ts';
import type { VerificationRows } from './rows.ts';
import type { VerificationLog } from './run-log.ts';
import type { VerificationPorts } from './verifying.ts';

/** One supervised run of a verification. */
export interface SupervisedVerification {
  readonly ctx: Context;
  readonly rows: VerificationRows;
  readonly verifying: VerificationPorts;
  readonly lease: Lease;
  readonly log: VerificationLog;
  /** Aborted when the work must stop, for any reason. */
  readonly signal: AbortSignal;
  /** Whether this worker must stop, and another worker will continue the verification. */
  readonly isHandedOver: () => boolean;
  /** Writes under the row's lock, while this worker holds its lease. */
  readonly write: (change: (rows: VerificationRows, tx: Transaction) => Promise<void>) => Promise<void>;
}

export interface Ending {
  /** `waiting`: the verification has another registration to test. */
  readonly status: Verdict | 'canceled' | 'waiting';
  /** One sentence. Null: the present summary stays. */
  readonly summary: string | null;
}
