import type { Context } from '../../context.ts';
import { frozenAt, type Frozen } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { decisionInstant, loadEnvironmentFreezes, type StoredFreeze } from '../repositories/index.ts';

/**
 * Why nothing is deployed there, by the calendar at that instant; null: it may be. In a transaction that holds the
 * environment's row: once a freeze is answered, no deployment takes the slot by what was before it.
 */
export async function frozenNow(
  ctx: Context,
  tx: Transaction,
  { environmentId, now }: { readonly environmentId: string; readonly now: Date },
): Promise<Frozen<StoredFreeze> | null> {
  const freezes = await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId });
  return frozenAt(freezes, decisionInstant(freezes, now));
}
