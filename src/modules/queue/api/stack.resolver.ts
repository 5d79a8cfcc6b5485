import type DataLoader from 'dataloader';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { loadMany, loadOne } from '../../../graphql/loaders.ts';
import { requireScope } from '../../accounts/index.ts';
import { pullRequestColumns } from './pull-requests.columns.ts';
import { withRepositories } from './pull-requests.reads.ts';
import { PullRequest } from './pull-requests.types.ts';

type Row = Omit<PullRequest, 'repository' | 'latestBot'>;

function belowOf(ctx: GraphQLContext): DataLoader<string, PullRequest | null> {
  return loadOne('aboveId', async (ids) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<Row & { readonly aboveId: string }>(ctx.accountId, {
      name: 'pull_requests_below',
      text: `select above.id as "aboveId", ${pullRequestColumns}
             from pull_request above join pull_request p on p.account_id = above.account_id and p.id = above.below_id
             where above.account_id = $1 and above.id = any ($2::bigint[])`,
      values: [ctx.accountId, ids],
    });
    return await withRepositories(ctx, rows);
  });
}

function aboveOf(ctx: GraphQLContext): DataLoader<string, PullRequest[]> {
  return loadMany('belowId', async (ids) => {
    requireScope(ctx, 'queue:read');
    const rows = await ctx.db.read<Row & { readonly belowId: string }>(ctx.accountId, {
      name: 'pull_requests_above',
      text: `select p.below_id as "belowId", ${pullRequestColumns} from pull_request p
             where p.account_id = $1 and p.below_id = any ($2::bigint[]) and p.status not in ('merged', 'closed') order by p.id`,
      values: [ctx.accountId, ids],
    });
    return await withRepositories(ctx, rows);
  });
}

@Resolver(() => PullRequest)
export class StackResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The pull request directly below it in its stack. Null: there is none.',
  })
  async below(@Ctx() ctx: GraphQLContext, @Root() { id }: PullRequest): Promise<PullRequest | null> {
    return await loaderOf(ctx, belowOf).load(id);
  }

  @FieldResolver(() => [PullRequest], {
    description: 'The pull requests directly above it in its stack that are neither merged nor closed, oldest first.',
  })
  async above(@Ctx() ctx: GraphQLContext, @Root() { id }: PullRequest): Promise<PullRequest[]> {
    return await loaderOf(ctx, aboveOf).load(id);
  }
}
