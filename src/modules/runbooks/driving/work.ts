// What an agent works on while it is supervised, planning or a leaf, and what its work comes to.
import type { Transaction } from '../../../platform/database.ts';
import type { Leased } from '../../../platform/turns/lease.ts';
import type { SupervisedAgent } from './agent-session.ts';
import type { RunbookRows } from './runbook.rows.ts';

/** What the agent's work comes to, to be written under the runbook's row. */
export interface Done {
  readonly words: string;
  /** Where what was worked on is still wanted. */
  write(tx: Transaction, rows: RunbookRows): Promise<void>;
}

/** What is worked on, and how its end is written. */
export interface Work {
  readonly leased: Pick<Leased, 'wanted' | 'kept'>;
  isWanted(rows: RunbookRows): boolean;
  begin(tx: Transaction, rows: RunbookRows): Promise<void>;
  carryOut(supervised: SupervisedAgent, rows: RunbookRows): Promise<Done>;
  /** It failed for good. */
  fail(tx: Transaction, rows: RunbookRows, words: string): Promise<void>;
}
