// The supervised work of an agent, a plan or a leaf, and its result.
import type { Transaction } from '../../../platform/database.ts';
import type { LeasedRow } from '../../../platform/turns/lease.ts';
import type { SupervisedAgent } from './agent-session.ts';
import type { RunbookRows } from './runbook.rows.ts';

/** The result of the agent's work, and how it is written in a transaction that locks the runbook's row. */
export interface WorkResult {
  readonly message: string;
  /** Called only if the result is still needed. */
  write(tx: Transaction, rows: RunbookRows): Promise<void>;
}

/** The work on a plan or a leaf, and how its end is written. */
export interface Work {
  readonly leased: Pick<LeasedRow, 'wanted' | 'kept'>;
  isWanted(rows: RunbookRows): boolean;
  begin(tx: Transaction, rows: RunbookRows): Promise<void>;
  carryOut(supervised: SupervisedAgent, rows: RunbookRows): Promise<WorkResult>;
  /** Writes that the work failed for good. */
  fail(tx: Transaction, rows: RunbookRows, message: string): Promise<void>;
}
