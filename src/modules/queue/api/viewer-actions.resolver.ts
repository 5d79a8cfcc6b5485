import DataLoader from 'dataloader';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { canSkipLine, canSkipValidation, viewerActionOf, viewerActionsOf } from '../../accounts/index.ts';
import { ViewerAction } from '../../accounts/viewer-actions.types.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import { PullRequest } from './pull-requests.types.ts';

const description = 'What the caller is permitted to do with it.';

/** By repository: the permissions of pull requests are those of their repository. */
function skipActions(ctx: GraphQLContext): DataLoader<string, ViewerAction[]> {
  return new DataLoader(
    async (repositoryIds) => {
      const found = new Map<string, ViewerAction[]>();
      for (const id of new Set(repositoryIds))
        found.set(id, [
          viewerActionOf(ctx, 'skip_line', await canSkipLine(ctx, id)),
          viewerActionOf(ctx, 'skip_validation', await canSkipValidation(ctx, id)),
        ]);
      return repositoryIds.map((id) => found.get(id) ?? []);
    },
    { cache: false },
  );
}

@Resolver(() => PullRequest)
export class PullRequestActionsResolver {
  @FieldResolver(() => [ViewerAction], { description })
  async viewerCan(@Ctx() ctx: GraphQLContext, @Root() { repositoryId }: PullRequest): Promise<ViewerAction[]> {
    const skips = await loaderOf(ctx, skipActions).load(repositoryId);
    return [...viewerActionsOf(ctx, ['queue', 'dequeue', 'sync', 'refresh', 'backport', 'verify']), ...skips];
  }
}

@Resolver(() => Repository)
export class RepositoryActionsResolver {
  @FieldResolver(() => [ViewerAction], { description })
  viewerCan(@Ctx() ctx: GraphQLContext, @Root() _repository: Repository): ViewerAction[] {
    return viewerActionsOf(ctx, ['pause', 'freeze', 'halt', 'configure', 'start_runbook']);
  }
}
