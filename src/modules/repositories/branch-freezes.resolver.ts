import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { readBranchFreezes } from './branch-freezes.reads.ts';
import { freezeBranches, mayFreeze, unfreezeBranches } from './branch-freezes.service.ts';
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
    description: 'Freezes of its base branches, newest first, present and future. Ended freezes are left out.',
  })
  async freezes(@Ctx() ctx: GraphQLContext, @Root() repository: Repository): Promise<Freeze[]> {
    return (await readBranchFreezes(ctx, repository)).map(toFreezeNode);
  }

  @Mutation(() => FreezeBranchesPayload, {
    description:
      'Freezes the base branches a glob matches from now on: nothing lands, validation goes on. Replaces the former freeze of that glob. Needs release:write.',
  })
  async freezeBranches(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => FreezeBranchesInput) input: FreezeBranchesInput,
  ): Promise<FreezeBranchesPayload> {
    if (input.preview) {
      const { id: repositoryId } = await mayFreeze(ctx, input.repository);
      return {
        freeze: null,
        dryRun: { repositoryId, act: async (dryContext) => await freezeBranches(dryContext, input) },
      };
    }
    return { freeze: toFreezeNode(await freezeBranches(ctx, input)) };
  }

  @Mutation(() => UnfreezePayload, {
    description:
      'Ends the freeze that `freezeBranches` made for that glob. Schedules stay: `deleteFreeze` ends them. A preview ends none. Needs release:write.',
  })
  async unfreezeBranches(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => BaseBranchesInput) input: BaseBranchesInput,
  ): Promise<UnfreezePayload> {
    if (input.preview) {
      const { id: repositoryId } = await mayFreeze(ctx, input.repository);
      return {
        deleted: 0,
        dryRun: { repositoryId, act: async (dryContext) => await unfreezeBranches(dryContext, input) },
      };
    }
    return { deleted: await unfreezeBranches(ctx, input) };
  }
}
