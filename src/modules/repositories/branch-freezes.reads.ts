import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { findFreezeInForce, isOver, type FreezeInForce } from '../../domain/releases/freeze.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { requireScope } from '../accounts/index.ts';
import { freezeColumns, freezesOf, toFreeze, type FreezeRecord, type StoredFreeze } from './freezes.rows.ts';
import type { Repository } from './repositories.types.ts';

/** Reads, without a lock, the freeze of a base branch that is in force now. Null: the base branch is not frozen. */
export async function readBranchFreezeInForce(
  ctx: GraphQLContext,
  repositoryId: string,
  baseBranch: string,
): Promise<FreezeInForce<StoredFreeze> | null> {
  requireScope(ctx, 'queue:read');
  const freezes = await loaderOf(ctx, freezesOfRepositories).load(repositoryId);
  return findFreezeInForce(freezesOf(freezes, baseBranch), ctx.clock().getTime());
}

/** Freezes that have not ended, including freezes that have not begun, the last created first. */
export async function readBranchFreezes(ctx: GraphQLContext, repository: Repository): Promise<StoredFreeze[]> {
  requireScope(ctx, 'queue:read');
  const now = ctx.clock().getTime();
  return (await loaderOf(ctx, freezesOfRepositories).load(repository.id)).filter((freeze) => !isOver(freeze, now));
}

/** A freeze of any target. Null: the account has no freeze with this id, or a user ended the freeze. */
export async function readFreeze(ctx: Context, id: string): Promise<StoredFreeze | null> {
  requireScope(ctx, 'release:read');
  const [row] = await ctx.db.read<FreezeRecord>(ctx.accountId, {
    name: 'freeze_by_id',
    text: `select ${freezeColumns} from freeze_rule f where f.account_id = $1 and f.id = $2 and f.deleted_at is null`,
    values: [ctx.accountId, id],
  });
  return row === undefined ? null : toFreeze(row);
}

function freezesOfRepositories(ctx: GraphQLContext): DataLoader<string, StoredFreeze[]> {
  return new DataLoader(
    async (repositoryIds) => {
      const rows = await ctx.db.read<FreezeRecord>(ctx.accountId, {
        name: 'freezes_of_repositories',
        text: `select ${freezeColumns} from freeze_rule f
               where f.account_id = $1 and f.repository_id = any ($2::bigint[]) and f.deleted_at is null order by f.id desc`,
        values: [ctx.accountId, repositoryIds],
      });
      const freezes = rows.map(toFreeze);
      return repositoryIds.map((id) => freezes.filter(({ repositoryId }) => repositoryId === id));
    },
    { cache: false },
  );
}
