import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext, loadIfAny } from '../../graphql/context.ts';
import { Runbook } from './runbooks.types.ts';
import { branchesOfRunbook, commitsOfRunbook, pullRequestsOf, stepsOfRunbook } from './steps.reads.ts';
import { RunbookBranch, RunbookCommit, RunbookPullRequest, RunbookStep } from './steps.types.ts';
import { pullRequestById } from '../queue/index.ts';
import { PullRequest } from '../queue/api/pull-requests.types.ts';
import { runbookIdOfPullRequest } from './steps.reads.ts';
import { runbookById } from './runbooks.reads.ts';

@Resolver(() => Runbook)
export class RunbookStepsResolver {
  @FieldResolver(() => [RunbookStep], {
    description: 'The steps of the plan, in order. Empty until the first prompt is planned.',
  })
  async steps(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookStep[]> {
    return await loaderOf(ctx, stepsOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookCommit], { description: 'The commits of the runbook, in order.' })
  async commits(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookCommit[]> {
    return await loaderOf(ctx, commitsOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookBranch], {
    description: 'The branches that the runbook pushes to, in the order of the stack.',
  })
  async branches(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookBranch[]> {
    return await loaderOf(ctx, branchesOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookPullRequest], {
    description: 'The pull requests of the runbook, each number once, in the order of the stack (interface 2.12).',
  })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookPullRequest[]> {
    return pullRequestsOf(await loaderOf(ctx, branchesOfRunbook).load(id));
  }
}

@Resolver(() => RunbookPullRequest)
export class RunbookPullRequestsResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The pull request in the queue. Null: the queue has not read it yet. Needs queue:read.',
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
    description: 'The runbook that opened the pull request. Null: no runbook opened it. Needs runbook:write.',
  })
  async runbook(@Ctx() ctx: GraphQLContext, @Root() { repositoryId, number }: PullRequest): Promise<Runbook | null> {
    const id = await loaderOf(ctx, runbookIdOfPullRequest).load({ repositoryId, number });
    return await loadIfAny(ctx, runbookById, id);
  }
}
