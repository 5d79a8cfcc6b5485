import DataLoader from 'dataloader';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { canSkipLine, canSkipValidation, viewerActionOf, viewerActionsOf } from '../../accounts/index.ts';
import { ViewerAction } from '../../accounts/viewer-actions.types.ts';
import { readRepositoriesById, refusalsAtHost } from '../../repositories/index.ts';
import { Repository } from '../../repositories/repositories.types.ts';
import { maySkip } from '../admission/enqueue.ts';
import { PullRequest } from './pull-requests.types.ts';

const description = 'What the caller is permitted to do with it.';

/**
 * Whether the caller may skip the line, and whether the caller may skip validation. Both actions need a permission in
 * the repository besides their scope.
 */
async function skipActionsOf(ctx: GraphQLContext, repository: HostedRepository): Promise<ViewerAction[]> {
  const may = async (can: typeof canSkipLine): Promise<boolean> =>
    await maySkip(ctx, repository, { can, requestedBy: null });
  return [
    viewerActionOf(ctx, 'skip_line', await may(canSkipLine)),
    viewerActionOf(ctx, 'skip_validation', await may(canSkipValidation)),
  ];
}

const ofPullRequest = ['queue', 'dequeue', 'sync', 'refresh', 'backport', 'verify', 'retry_build'] as const;

const ofRepository = ['pause', 'freeze', 'reset_queue', 'halt', 'configure', 'start_runbook', 'administer'] as const;

/**
 * The actions of pull requests, by id of the repository. All pull requests of a repository have the same permissions.
 */
function actionsOfPullRequests(ctx: GraphQLContext): DataLoader<string, ViewerAction[]> {
  return new DataLoader(
    async (repositoryIds) => {
      const found = new Map<string, ViewerAction[]>();
      for (const row of await readRepositoriesById(ctx, [...new Set(repositoryIds)])) {
        found.set(row.id, [
          ...viewerActionsOf(ctx, ofPullRequest, await refusalsAtHost(ctx, row)),
          ...(await skipActionsOf(ctx, row)),
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
  @FieldResolver(() => [ViewerAction], {
    description: 'What the caller is permitted to do with it, and with each of its pull requests.',
  })
  async viewerCan(@Ctx() ctx: GraphQLContext, @Root() { id, owner, name, host }: Repository): Promise<ViewerAction[]> {
    const row = { accountId: ctx.accountId, id, owner, name, host };
    return [
      ...viewerActionsOf(ctx, [...ofRepository, ...ofPullRequest], await refusalsAtHost(ctx, row)),
      ...(await skipActionsOf(ctx, row)),
    ];
  }
}
