import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { Glob } from '../../graphql/scalars.ts';
import { readBranchPauses } from './branch-pauses.reads.ts';
import { pauseBranches } from './branch-pauses.service.ts';
import { BranchPause, PauseBranchesInput, PauseBranchesPayload } from './branch-pauses.types.ts';
import { requireMayPause } from './repositories.service.ts';
import { Repository } from './repositories.types.ts';

@Resolver(() => Repository)
export class BranchPausesResolver {
  @Extensions({ price: 800 })
  @FieldResolver(() => [BranchPause], {
    description:
      'Whether base branches are paused. Lists every rule, and every base branch that no rule names literally, with the state that the rules give to this branch. A pause of the whole repository is not included.',
  })
  async branchPauses(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('pattern', () => Glob, {
      nullable: true,
      description: 'Only the rule with exactly this pattern, and the base branches that the pattern matches.',
    })
    pattern: string | null,
  ): Promise<BranchPause[]> {
    const entries = await readBranchPauses(ctx, repository, pattern ?? null);
    return entries.map((entry) => ({ ...entry, repository }));
  }

  @Mutation(() => PauseBranchesPayload, {
    description:
      'Pauses or resumes validating and merging into the base branches a glob matches (interface 4.2). Needs queue:pause.',
  })
  async pauseBranches(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PauseBranchesInput) input: PauseBranchesInput,
  ): Promise<PauseBranchesPayload> {
    if (input.preview) return await previewPause(ctx, input);
    const { repository, rule } = await pauseBranches(ctx, input);
    const { pattern, paused, pausedMessage } = rule;
    return { branchPause: { pattern, paused, pausedMessage: pausedMessage ?? null, repository } };
  }
}

async function previewPause(ctx: GraphQLContext, input: PauseBranchesInput): Promise<PauseBranchesPayload> {
  const repository = await requireMayPause(ctx, input.repository);
  const { pattern, paused, pausedMessage } = input;
  const act = async (dryContext: Context): Promise<unknown> => await pauseBranches(dryContext, input);
  return {
    branchPause: { pattern, paused, pausedMessage: pausedMessage || null, repository },
    dryRun: { repositoryId: repository.id, act },
  };
}
