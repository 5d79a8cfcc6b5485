// Wakes the workflow of a verification after the commit. If the wake is lost, the relay sends another wake.
import type { Context, Ports } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';
import { hasDueRows, wakeDue } from '../../../platform/turns/index.ts';

export function wakeVerification({ accountId, wake }: Context, tx: Transaction, verificationId: string): void {
  tx.afterCommit(() => wake({ accountId, verificationId }));
}

/** SQL: whether `wakeDueVerifications` would wake a verification. */
export const verificationsAreDue = hasDueRows('verification');

/**
 * Called by the relay. Wakes verifications whose wake was lost, whose time limit has passed, or whose workflow Temporal
 * lost.
 */
export async function wakeDueVerifications(ports: Ports): Promise<void> {
  await wakeDue(ports, { table: 'verification', whose: ({ id }) => ({ verificationId: id }) });
}
