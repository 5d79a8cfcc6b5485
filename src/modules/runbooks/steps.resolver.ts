import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { Runbook } from './runbooks.types.ts';
import { branchesOfRunbook, commitsOfRunbook, pullRequestsOf, stepsOfRunbook } from './steps.reads.ts';
import { RunbookBranch, RunbookCommit, RunbookPullRequest, RunbookStep } from './steps.types.ts';

@Resolver(() => Runbook)
export class RunbookStepsResolver {
  @FieldResolver(() => [RunbookStep], { description: 'Its plan, in order. Empty until its first prompt is planned.' })
  async steps(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookStep[]> {
    return await loaderOf(ctx, stepsOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookCommit], { description: 'Its commits, in order.' })
  async commits(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookCommit[]> {
    return await loaderOf(ctx, commitsOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookBranch], { description: 'The branches it pushes to, in the order of their stack.' })
  async branches(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookBranch[]> {
    return await loaderOf(ctx, branchesOfRunbook).load(id);
  }

  @FieldResolver(() => [RunbookPullRequest], {
    description: 'Its pull requests, each number once, in the order of their stack (interface 2.12).',
  })
  async pullRequests(@Ctx() ctx: GraphQLContext, @Root() { id }: Runbook): Promise<RunbookPullRequest[]> {
    return pullRequestsOf(await loaderOf(ctx, branchesOfRunbook).load(id));
  }
}
