import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { Freeze, FreezePayload, Frozen, toFreezeNode, toFrozenNode } from '../repositories/freezes.types.ts';
import { scheduleBranchFreeze } from '../repositories/index.ts';
import { Environment } from './environments.types.ts';
import type { FreezeImpactFacts } from './freezes.impact.ts';
import { readFreezes, readFreezeInForce } from './freezes.reads.ts';
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
    description:
      'The freeze that is in force now. Only forced deployments start while it lasts. Null: the environment is not frozen.',
  })
  async frozen(@Ctx() ctx: GraphQLContext, @Root() { id, name }: Environment): Promise<Frozen | null> {
    return toFrozenNode(name, await readFreezeInForce(ctx, id));
  }

  @FieldResolver(() => [Freeze], {
    description:
      'The freezes of the environment that have not ended, the last created first. Freezes that have not begun yet are included.',
  })
  async freezes(@Ctx() ctx: GraphQLContext, @Root() { id }: Environment): Promise<Freeze[]> {
    return (await readFreezes(ctx, id)).map(toFreezeNode);
  }

  @Mutation(() => FreezeEnvironmentPayload, {
    description:
      'Freezes an environment from now on. Only forced deployments start while the freeze lasts. The freeze replaces an earlier manual freeze. Needs release:write.',
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
      "Ends an environment's manual freezes and its freezes after rollbacks. Freezes by a schedule stay: `deleteFreeze` ends them. Needs release:write.",
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
    description:
      'Creates a schedule by which an environment, or base branches, are frozen regularly. Needs release:write.',
  })
  async createFreezeSchedule(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateFreezeScheduleInput) input: CreateFreezeScheduleInput,
  ): Promise<EitherFreezePayload> {
    return await schedule(ctx, input);
  }

  @Mutation(() => FreezePayload, {
    description: 'Ends a freeze of an environment or of base branches, whatever its source. Needs release:write.',
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

/** A payload with the impact on an environment. The impact on queues is computed only when the query requests it. */
class EitherFreezePayload extends FreezePayload {
  environmentImpact?: EnvironmentFreezeImpact | null;
}

@Resolver(() => FreezePayload)
export class EnvironmentFreezeImpactResolver {
  @FieldResolver(() => EnvironmentFreezeImpact, {
    nullable: true,
    description:
      'What the change would do to the environment. Null unless a preview was requested. Also null for base branches, for which `impact` says what the change would do.',
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
