// Who looks at a verification again is told after the commit. A wake that is lost is the relay's to make good.
import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../platform/database.ts';

export function wakeVerification({ accountId, wake }: Context, tx: Transaction, verificationId: string): void {
  tx.afterCommit(() => wake({ accountId, verificationId }));
}
