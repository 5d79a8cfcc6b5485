import type { Context } from '../../context.ts';
import { findFreezeInForce, type FreezeInForce } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { loadEnvironmentFreezes, type StoredFreeze } from '../repositories/index.ts';

/**
 * Loads the freeze of an environment that is in force now. A freeze that another server created with a clock ahead of
 * ours counts too. Null: the environment is not frozen. The caller locks the environment's row, so that no deployment
 * takes the slot after a freeze was committed.
 */
export async function loadFreezeInForce(
  ctx: Context,
  tx: Transaction,
  { environmentId, now }: { readonly environmentId: string; readonly now: Date },
): Promise<FreezeInForce<StoredFreeze> | null> {
  const freezes = await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId });
  return findFreezeInForce(freezes, now.getTime());
}
