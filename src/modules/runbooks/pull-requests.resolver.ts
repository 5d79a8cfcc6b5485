// From a runbook's pull request to what the queue knows of it, and back.
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { pullRequestById } from '../queue/index.ts';
import { PullRequest } from '../queue/api/pull-requests.types.ts';
import { runbookIdOfPullRequest } from './pull-requests.reads.ts';
import { runbookById } from './runbooks.reads.ts';
import { Runbook } from './runbooks.types.ts';
import { RunbookPullRequest } from './steps.types.ts';

@Resolver(() => RunbookPullRequest)
export class RunbookPullRequestsResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The pull request as the queue knows it. Null: the queue does not know it yet. Needs queue:read.',
  })
  async pullRequest(
    @Ctx() ctx: GraphQLContext,
    @Root() { pullRequestId }: RunbookPullRequest,
  ): Promise<PullRequest | null> {
    return await loadIfAny(ctx, pullRequestById, pullRequestId);
  }
}

@Resolver(() => PullRequest)
export class PullRequestRunbookResolver {
  @FieldResolver(() => Runbook, {
    nullable: true,
    description: 'The runbook that opened it. Null: none did. Needs runbook:write.',
  })
  async runbook(@Ctx() ctx: GraphQLContext, @Root() { repositoryId, number }: PullRequest): Promise<Runbook | null> {
    const id = await loaderOf(ctx, runbookIdOfPullRequest).load({ repositoryId, number });
    return await loadIfAny(ctx, runbookById, id);
  }
}
