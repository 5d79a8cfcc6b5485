import DataLoader from 'dataloader';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { canSkipLine, canSkipValidation, viewerActionOf, viewerActionsOf } from '../../accounts/index.ts';
import { ViewerAction } from '../../accounts/viewer-actions.types.ts';
import { readRepositoriesById, refusalsAtHost } from '../../repositories/index.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import { maySkip } from '../admission/enqueue.ts';
import { PullRequest } from './pull-requests.types.ts';

const description = 'What the caller is permitted to do with it.';

const ofPullRequest = ['queue', 'dequeue', 'sync', 'refresh', 'backport', 'verify'] as const;

/** By repository: the permissions of pull requests are those of their repository. */
function actionsOfPullRequests(ctx: GraphQLContext): DataLoader<string, ViewerAction[]> {
  return new DataLoader(
    async (repositoryIds) => {
      const found = new Map<string, ViewerAction[]>();
      for (const row of await readRepositoriesById(ctx, [...new Set(repositoryIds)])) {
        const may = async (can: typeof canSkipLine): Promise<boolean> =>
          await maySkip(ctx, row, { can, requestedBy: null });
        found.set(row.id, [
          ...viewerActionsOf(ctx, ofPullRequest, await refusalsAtHost(ctx, row)),
          viewerActionOf(ctx, 'skip_line', await may(canSkipLine)),
          viewerActionOf(ctx, 'skip_validation', await may(canSkipValidation)),
        ]);
      }
      return repositoryIds.map((id) => found.get(id) ?? []);
    },
    { cache: false },
  );
}

@Resolver(() => PullRequest)
export class PullRequestActionsResolver {
  @FieldResolver(() => [ViewerAction], { description })
  async viewerCan(@Ctx() ctx: GraphQLContext, @Root() { repositoryId }: PullRequest): Promise<ViewerAction[]> {
    return await loaderOf(ctx, actionsOfPullRequests).load(repositoryId);
  }
}

@Resolver(() => Repository)
export class RepositoryActionsResolver {
  @FieldResolver(() => [ViewerAction], { description })
  async viewerCan(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<ViewerAction[]> {
    const { id, owner, name, host } = repository;
    const atHost = await refusalsAtHost(ctx, { accountId: ctx.accountId, id, owner, name, host });
    return viewerActionsOf(ctx, ['pause', 'freeze', 'halt', 'configure', 'start_runbook'], atHost);
  }
}
