import { Ctx, Extensions, FieldResolver, Query, Resolver } from 'type-graphql';
import { judgeParts } from '../../domain/health/parts.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { isOutage } from '../../platform/outage.ts';
import { readVersion } from '../../platform/project-root.ts';
import { readProofKeys } from '../proofs/index.ts';
import { Installation, InstallationPart } from './installation.types.ts';
import { findOverdueOf, type Overdue } from './overdue.reads.ts';

const version = readVersion();

@Resolver(() => Installation)
export class InstallationResolver {
  @Query(() => Installation, {
    description: 'The installation: its version, and whether its parts are well. Needs no scope.',
  })
  installation(@Ctx() { temporal }: GraphQLContext): Pick<Installation, 'version' | 'temporalUi'> {
    return { version, temporalUi: temporal.ui };
  }

  @Extensions({ price: 100, once: 0 })
  @FieldResolver(() => [String])
  async proofKeys(@Ctx() ctx: GraphQLContext): Promise<readonly string[]> {
    return await readProofKeys(ctx);
  }

  @Extensions({ price: 2_000, once: 0 })
  @FieldResolver(() => [InstallationPart], {
    description:
      'The database, Temporal and the workers, and the kinds of work of the account that are more than five minutes past their own time limit. A part with an unknown state is left out.',
  })
  async parts(@Ctx() ctx: GraphQLContext): Promise<readonly InstallationPart[]> {
    const overdue = await findOverdueOf(ctx.db, ctx.accountId, ctx.clock()).catch(nullIfOutage);
    return judgeParts({ overdue, temporal: ctx.temporal.health() });
  }
}

function nullIfOutage(error: unknown): readonly Overdue[] | null {
  if (isOutage(error)) return null;
  throw error;
}
