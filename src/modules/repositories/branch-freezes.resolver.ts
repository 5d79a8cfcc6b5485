import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { readBranchFreezes } from './branch-freezes.reads.ts';
import { freezeBranches, requireMayFreeze, unfreezeBranches } from './branch-freezes.service.ts';
import {
  BaseBranchesInput,
  Freeze,
  FreezeBranchesInput,
  FreezeBranchesPayload,
  toFreezeNode,
  UnfreezePayload,
} from './freezes.types.ts';
import { Repository } from './repositories.types.ts';

@Resolver(() => Repository)
export class BranchFreezesResolver {
  @FieldResolver(() => [Freeze], {
    description:
      'Freezes of base branches of the repository that have not ended, the last created first. Freezes that have not begun yet are included.',
  })
  async freezes(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<Freeze[]> {
    return (await readBranchFreezes(ctx, repository)).map(toFreezeNode);
  }

  @Mutation(() => FreezeBranchesPayload, {
    description:
      'Freezes the base branches that a glob matches. From now on nothing lands on them, and validation continues. The freeze replaces the earlier manual freeze with the same glob. Needs release:write.',
  })
  async freezeBranches(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => FreezeBranchesInput) input: FreezeBranchesInput,
  ): Promise<FreezeBranchesPayload> {
    if (input.preview) {
      const { id: repositoryId } = await requireMayFreeze(ctx, input.repository);
      return {
        freeze: null,
        dryRun: { repositoryId, act: async (dryContext) => await freezeBranches(dryContext, input) },
      };
    }
    return { freeze: toFreezeNode(await freezeBranches(ctx, input)) };
  }

  @Mutation(() => UnfreezePayload, {
    description:
      'Ends the freeze that `freezeBranches` made for this glob. Freezes by a schedule stay: `deleteFreeze` ends them. A preview ends no freeze. Needs release:write.',
  })
  async unfreezeBranches(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => BaseBranchesInput) input: BaseBranchesInput,
  ): Promise<UnfreezePayload> {
    if (input.preview) {
      const { id: repositoryId } = await requireMayFreeze(ctx, input.repository);
      return {
        deleted: 0,
        dryRun: { repositoryId, act: async (dryContext) => await unfreezeBranches(dryContext, input) },
      };
    }
    return { deleted: await unfreezeBranches(ctx, input) };
  }
}
