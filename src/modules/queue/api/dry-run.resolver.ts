import { Arg, Ctx, Extensions, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { hasScope } from '../../accounts/index.ts';
import { PauseBranchesPayload } from '../../repositories/branch-pauses.types.ts';
import { FreezeBranchesPayload, FreezePayload, UnfreezePayload } from '../../repositories/freezes.types.ts';
import {
  PauseRepositoryPayload,
  PreviewConfigurationInput,
  ReplaceConfigurationPayload,
  toProblem,
  type DryRun,
} from '../../repositories/repositories.types.ts';
import { previewConfiguration } from './dry-run.configuration.ts';
import { ConfigurationPreview, Impact, toImpact } from './dry-run.types.ts';
import { dryRun } from '../planning/dry-run.ts';
import { readMoves } from './forecast.reads.ts';
import { EtaMove, toEtaMoves } from './forecast.types.ts';

const description = 'What the request would do. Null unless a preview was requested.';

async function impactOf(ctx: GraphQLContext, payload: { readonly dryRun?: DryRun }): Promise<Impact | null> {
  if (payload.dryRun === undefined) return null;
  return toImpact(await dryRun(ctx, payload.dryRun.repositoryId, payload.dryRun.act));
}

@Resolver(() => PauseRepositoryPayload)
export class PauseRepositoryImpactResolver {
  @FieldResolver(() => Impact, { nullable: true, description })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: PauseRepositoryPayload): Promise<Impact | null> {
    return await impactOf(ctx, payload);
  }
}

@Resolver(() => PauseBranchesPayload)
export class PauseBranchesImpactResolver {
  @FieldResolver(() => Impact, { nullable: true, description })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: PauseBranchesPayload): Promise<Impact | null> {
    return await impactOf(ctx, payload);
  }
}

@Resolver(() => FreezeBranchesPayload)
export class FreezeBranchesImpactResolver {
  @FieldResolver(() => Impact, { nullable: true, description })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: FreezeBranchesPayload): Promise<Impact | null> {
    return await impactOf(ctx, payload);
  }
}

@Resolver(() => UnfreezePayload)
export class UnfreezeImpactResolver {
  @FieldResolver(() => Impact, { nullable: true, description })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: UnfreezePayload): Promise<Impact | null> {
    return await impactOf(ctx, payload);
  }
}

@Resolver(() => FreezePayload)
export class FreezeImpactResolver {
  @FieldResolver(() => Impact, {
    nullable: true,
    description: `${description} Null for an environment, too: see \`environmentImpact\`.`,
  })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: FreezePayload): Promise<Impact | null> {
    return await impactOf(ctx, payload);
  }
}

@Resolver(() => ReplaceConfigurationPayload)
export class ReplaceConfigurationImpactResolver {
  @FieldResolver(() => Impact, {
    nullable: true,
    description: `${description} Null, too, if the configuration is refused, or without queue:read.`,
  })
  async impact(@Ctx() ctx: GraphQLContext, @Root() payload: ReplaceConfigurationPayload): Promise<Impact | null> {
    return hasScope(ctx, 'queue:read') ? await impactOf(ctx, payload) : null;
  }
}

@Resolver(() => Impact)
export class EtasMovedResolver {
  @Extensions({ price: 12_000, rows: 20 })
  @FieldResolver(() => [EtaMove], {
    nullable: true,
    description:
      'Landings that the change would move by a minute or more, found by simulating each line without and with the change. Pull requests that would leave the line come first, then the others in queue order; at most 100 for each base branch. Null: there is no forecast now. Needs queue:read.',
  })
  async etasMoved(@Ctx() ctx: GraphQLContext, @Root() { impacts }: Impact): Promise<EtaMove[] | null> {
    const moved: EtaMove[] = [];
    for (const { baseBranch, compared } of impacts) {
      const moves = await readMoves(ctx, compared);
      if (moves === null) return null;
      moved.push(...toEtaMoves(baseBranch, moves));
    }
    return moved;
  }
}

@Resolver()
export class ConfigurationPreviewResolver {
  @Extensions({ price: 20_000 })
  @Query(() => ConfigurationPreview, {
    description: 'What a configuration would change and do. Nothing is written. Needs config:read.',
  })
  async previewConfiguration(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PreviewConfigurationInput, { description: 'The repository, and the document to preview.' })
    input: PreviewConfigurationInput,
  ): Promise<ConfigurationPreview> {
    const { outcome, changed, impacts } = await previewConfiguration(ctx, input);
    return {
      accepted: outcome.ok,
      problems: outcome.ok ? [] : outcome.problems.map(toProblem),
      changedKeys: [...changed],
      impact: impacts === null ? null : toImpact(impacts),
    };
  }
}
