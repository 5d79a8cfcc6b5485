import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { Freeze, FreezePayload, Frozen, toFreezeNode, toFrozenNode } from '../repositories/freezes.types.ts';
import { scheduleBranchFreeze, type StoredFreeze } from '../repositories/index.ts';
import { Environment, EnvironmentRefInput } from './environments.types.ts';
import type { FreezeImpactFacts } from './freezes.impact.ts';
import { readFreezes, readFrozen } from './freezes.reads.ts';
import { deleteFreeze, freezeEnvironment, scheduleEnvironmentFreeze, unfreezeEnvironment } from './freezes.service.ts';
import {
  CreateFreezeScheduleInput,
  DeleteFreezeInput,
  type EnvironmentFreezeImpact,
  FreezeEnvironmentInput,
  FreezeEnvironmentPayload,
  UnfreezeEnvironmentPayload,
} from './freezes.types.ts';
import { loadEnvironment } from './projects.reads.ts';

@Resolver(() => Environment)
export class FreezesResolver {
  @Extensions({ price: 500 })
  @FieldResolver(() => Frozen, {
    nullable: true,
    description: 'Why nothing is deployed there now, unless it is forced. Null: it is not frozen.',
  })
  async frozen(@Ctx() ctx: GraphQLContext, @Root() { id, name }: Environment): Promise<Frozen | null> {
    return toFrozenNode(name, await readFrozen(ctx, id));
  }

  @FieldResolver(() => [Freeze], {
    description: 'Its freezes, newest first, present and future. Ended freezes are left out.',
  })
  async freezes(@Ctx() ctx: GraphQLContext, @Root() { id }: Environment): Promise<Freeze[]> {
    return (await readFreezes(ctx, id)).map(toFreezeNode);
  }

  @Mutation(() => FreezeEnvironmentPayload, {
    description:
      'Freezes an environment from now on: only forced deployments go there. Replaces the former freeze by hand. Needs release:write.',
  })
  async freezeEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => FreezeEnvironmentInput) input: FreezeEnvironmentInput,
  ): Promise<FreezeEnvironmentPayload> {
    const { freeze, impact, isPreview } = await freezeEnvironment(ctx, input);
    const { environment } = await loadEnvironment(ctx, input);
    return { freeze: toFreezeNode(freeze), environment, impact: isPreview ? toImpact(impact) : null };
  }

  @Mutation(() => UnfreezeEnvironmentPayload, {
    description:
      "Ends an environment's freezes made by hand or by a rollback. Schedules stay: `deleteFreeze` ends them. Needs release:write.",
  })
  async unfreezeEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => EnvironmentRefInput) input: EnvironmentRefInput,
  ): Promise<UnfreezeEnvironmentPayload> {
    const deleted = await unfreezeEnvironment(ctx, input);
    const { environment } = await loadEnvironment(ctx, input);
    return { deleted, environment };
  }

  @Mutation(() => FreezePayload, {
    description: 'Freezes an environment, or base branches, again and again. Needs release:write.',
  })
  async createFreezeSchedule(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateFreezeScheduleInput) input: CreateFreezeScheduleInput,
  ): Promise<FreezePayload> {
    return { freeze: toFreezeNode(await schedule(ctx, input)) };
  }

  @Mutation(() => FreezePayload, {
    description: 'Ends a freeze, whatever made it and whatever it freezes. Needs release:write.',
  })
  async deleteFreeze(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeleteFreezeInput) { id }: DeleteFreezeInput,
  ): Promise<FreezePayload> {
    return { freeze: toFreezeNode(await deleteFreeze(ctx, rowIdOf('Freeze', id))) };
  }
}

function toImpact({ replaces, ...impact }: FreezeImpactFacts): EnvironmentFreezeImpact {
  return { ...impact, replaces: replaces && toFreezeNode(replaces) };
}

async function schedule(
  ctx: GraphQLContext,
  { environment: ref, branches, ...when }: CreateFreezeScheduleInput,
): Promise<StoredFreeze> {
  if (ref && !branches) {
    const { project, environment } = ref;
    return await scheduleEnvironmentFreeze(ctx, { project, environment, ...when });
  }
  if (branches && !ref) {
    const { repository, baseBranches } = branches;
    return await scheduleBranchFreeze(ctx, { repository, baseBranches, ...when });
  }
  throw new DomainError('BAD_INPUT', 'input must name either environment or branches', 'input');
}
