import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { Freeze, FreezePayload, Frozen, toFreezeNode, toFrozenNode } from '../repositories/freezes.types.ts';
import { scheduleBranchFreeze } from '../repositories/index.ts';
import { Environment } from './environments.types.ts';
import type { FreezeImpactFacts } from './freezes.impact.ts';
import { readFreezes, readFrozen } from './freezes.reads.ts';
import {
  deleteFreeze,
  freezeEnvironment,
  scheduleEnvironmentFreeze,
  unfreezeEnvironment,
  type FreezeAnswer,
} from './freezes.service.ts';
import {
  CreateFreezeScheduleInput,
  DeleteFreezeInput,
  EnvironmentFreezeImpact,
  FreezeEnvironmentInput,
  FreezeEnvironmentPayload,
  UnfreezeEnvironmentInput,
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
    const { freeze, impact } = await freezeEnvironment(ctx, input);
    const { environment } = await loadEnvironment(ctx, input);
    return { freeze: toFreezeNode(freeze), environment, impact: toImpact(impact) };
  }

  @Mutation(() => UnfreezeEnvironmentPayload, {
    description:
      "Ends an environment's freezes made by hand or by a rollback. Schedules stay: `deleteFreeze` ends them. Needs release:write.",
  })
  async unfreezeEnvironment(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UnfreezeEnvironmentInput) input: UnfreezeEnvironmentInput,
  ): Promise<UnfreezeEnvironmentPayload> {
    const { deleted, impact } = await unfreezeEnvironment(ctx, input);
    const { environment } = await loadEnvironment(ctx, input);
    return { deleted, environment, impact: toImpact(impact) };
  }

  @Mutation(() => FreezePayload, {
    description: 'Freezes an environment, or base branches, again and again. Needs release:write.',
  })
  async createFreezeSchedule(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateFreezeScheduleInput) input: CreateFreezeScheduleInput,
  ): Promise<EitherFreezePayload> {
    return await schedule(ctx, input);
  }

  @Mutation(() => FreezePayload, {
    description: 'Ends a freeze of any origin, of environments or base branches. Needs release:write.',
  })
  async deleteFreeze(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeleteFreezeInput) { id: nodeId, preview }: DeleteFreezeInput,
  ): Promise<EitherFreezePayload> {
    const id = rowIdOf('Freeze', nodeId);
    const answer = await deleteFreeze(ctx, { id, preview });
    const { repositoryId } = answer.freeze;
    const payload = toPayload(answer);
    if (!preview || repositoryId === null) return payload;
    const act = async (dryContext: Context) => await deleteFreeze(dryContext, { id });
    return Object.assign(payload, { dryRun: { repositoryId, act } });
  }
}

/** A payload whose impact on an environment is known already. The impact on queues is found when it is asked for. */
class EitherFreezePayload extends FreezePayload {
  environmentImpact?: EnvironmentFreezeImpact | null;
}

@Resolver(() => FreezePayload)
export class EnvironmentFreezeImpactResolver {
  @FieldResolver(() => EnvironmentFreezeImpact, {
    nullable: true,
    description:
      'What it would do to the environment. Null unless a preview was requested, and for base branches, which `impact` is about.',
  })
  environmentImpact(@Root() { environmentImpact }: EitherFreezePayload): EnvironmentFreezeImpact | null {
    return environmentImpact ?? null;
  }
}

function toImpact(facts: FreezeImpactFacts | null): EnvironmentFreezeImpact | null {
  return facts && { ...facts, replaces: facts.replaces && toFreezeNode(facts.replaces) };
}

function toPayload({ freeze, impact }: FreezeAnswer): EitherFreezePayload {
  return { freeze: toFreezeNode(freeze), environmentImpact: toImpact(impact) };
}

async function schedule(
  ctx: GraphQLContext,
  { environment: ref, branches, ...when }: CreateFreezeScheduleInput,
): Promise<EitherFreezePayload> {
  if (ref && !branches) {
    const { project, environment } = ref;
    return toPayload(await scheduleEnvironmentFreeze(ctx, { project, environment, ...when }));
  }
  if (branches && !ref) {
    const { repository, baseBranches } = branches;
    const preview = when.preview || branches.preview;
    const request = { repository, baseBranches, ...when };
    const freeze = await scheduleBranchFreeze(ctx, { ...request, preview });
    return {
      freeze: toFreezeNode(freeze),
      ...(preview && {
        dryRun: {
          repositoryId: freeze.repositoryId ?? '',
          act: async (dryContext: Context) => await scheduleBranchFreeze(dryContext, { ...request, preview: false }),
        },
      }),
    };
  }
  throw new DomainError('BAD_INPUT', 'input must name either environment or branches', 'input');
}
