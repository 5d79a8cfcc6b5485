// Wakes the driver of a verification after the commit. Where a wake is lost, the relay wakes it.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export function wakeVerification({ accountId, wake }: Context, tx: Transaction, verificationId: string): void {
  tx.afterCommit(() => wake({ accountId, verificationId }));
}
