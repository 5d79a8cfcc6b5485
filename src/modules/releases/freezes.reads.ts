import type DataLoader from 'dataloader';
import { findFreezeInForce, isOver, type FreezeInForce } from '../../domain/releases/freeze.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { loadMany } from '../../graphql/loaders.ts';
import { requireScope } from '../accounts/index.ts';
import { freezeColumns, toFreeze, type FreezeRecord, type StoredFreeze } from '../repositories/index.ts';

/** The freezes that have not ended, including freezes that have not begun, the last created first. */
export async function readFreezes(ctx: GraphQLContext, environmentId: string): Promise<StoredFreeze[]> {
  const now = ctx.clock().getTime();
  return (await loaderOf(ctx, freezesOfEnvironments).load(environmentId)).filter((freeze) => !isOver(freeze, now));
}

/** Reads the freeze of an environment that is in force now. Null: the environment is not frozen. */
export async function readFreezeInForce(
  ctx: GraphQLContext,
  environmentId: string,
): Promise<FreezeInForce<StoredFreeze> | null> {
  return findFreezeInForce(await readFreezes(ctx, environmentId), ctx.clock().getTime());
}

function freezesOfEnvironments(ctx: GraphQLContext): DataLoader<string, StoredFreeze[]> {
  return loadMany('environmentId', async (environmentIds) => {
    requireScope(ctx, 'release:read');
    const rows = await ctx.db.read<FreezeRecord>(ctx.accountId, {
      name: 'freezes_of_environments',
      text: `select ${freezeColumns} from freeze_rule f
             where f.account_id = $1 and f.environment_id = any ($2::bigint[]) and f.deleted_at is null order by f.id desc`,
      values: [ctx.accountId, environmentIds],
    });
    return rows.map(toFreeze);
  });
}
