import { Arg, Ctx, Extensions, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { Day, TimeZone } from '../../graphql/scalars.ts';
import { Repository } from '../repositories/repositories.types.ts';
import { readHoursOfDay } from './analytics.reads.ts';
import { readAnalytics } from './analytics.service.ts';
import { Analytics, DailyBuilds, DailyEtaAccuracy, FailedCheck, HourOfDay } from './analytics.types.ts';
import { readDailyBuilds, readFailedChecks } from './builds.reads.ts';
import { readDailyEtaAccuracy } from './eta-accuracy.reads.ts';

@Resolver(() => Repository)
export class RepositoryAnalyticsResolver {
  @Extensions({ price: 1_500 })
  @FieldResolver(() => Analytics, {
    description:
      'Statistics by day (interface 4.6): at most 366 days, `start` and `end` included. Needs analytics:read.',
  })
  async analytics(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('start', () => Day, { nullable: true, description: 'The first day. Default: 29 days before `end`.' })
    start: string | null,
    @Arg('end', () => Day, { nullable: true, description: 'The last day. Default: today in the time zone.' })
    end: string | null,
    @Arg('timezone', () => TimeZone, {
      nullable: true,
      description: "The time zone of the days. Default: the account's time zone.",
    })
    timezone: string | null,
  ): Promise<Analytics> {
    return await readAnalytics(ctx, repository, { start, end, timezone });
  }
}

@Resolver(() => Analytics)
export class AnalyticsHoursResolver {
  @Extensions({ price: 1_500, rows: 24 })
  @FieldResolver(() => [HourOfDay], {
    description:
      'The 24 hours of the day, each over all requested days: how many pull requests land and leave the line, and how long they wait.',
  })
  async hours(@Ctx() ctx: GraphQLContext, @Root() analytics: Analytics): Promise<HourOfDay[]> {
    return await readHoursOfDay(ctx, analytics);
  }
}

const branchDescription = 'Only builds and pull requests of the queue of this base branch. Default: of every queue.';
const maxChecks = 100;

@Resolver(() => Analytics)
export class AnalyticsBuildsResolver {
  @Extensions({ price: 1_500 })
  @FieldResolver(() => [DailyBuilds], { description: 'Builds that CI made for the queues, for every day.' })
  async builds(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositoryId, days }: Analytics,
    @Arg('baseBranch', () => String, { nullable: true, description: branchDescription }) baseBranch: string | null,
  ): Promise<DailyBuilds[]> {
    return await readDailyBuilds(ctx, { repositoryId, days, baseBranch: baseBranch ?? null });
  }

  @Extensions({ price: 1_500 })
  @FieldResolver(() => [FailedCheck], {
    description:
      'Checks that failed in builds of batches that ended on these days. The check that failed most often is first.',
  })
  async failedChecks(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositoryId, days }: Analytics,
    @Arg('baseBranch', () => String, { nullable: true, description: branchDescription }) baseBranch: string | null,
    @Arg('first', () => Int, { defaultValue: 10, description: `How many at most, from 1 to ${maxChecks}.` })
    first: number,
  ): Promise<FailedCheck[]> {
    if (first < 1 || first > maxChecks)
      throw new DomainError('BAD_INPUT', `first must be from 1 to ${maxChecks}.`, 'first');
    return await readFailedChecks(ctx, { repositoryId, days, baseBranch: baseBranch ?? null }, first);
  }
}

@Resolver(() => Analytics)
export class AnalyticsEtaAccuracyResolver {
  @Extensions({ price: 1_500 })
  @FieldResolver(() => [DailyEtaAccuracy], {
    description: 'How good the estimates of landings were, for every day.',
  })
  async etaAccuracy(
    @Ctx() ctx: GraphQLContext,
    @Root() { repositoryId, days }: Analytics,
    @Arg('baseBranch', () => String, { nullable: true, description: branchDescription }) baseBranch: string | null,
  ): Promise<DailyEtaAccuracy[]> {
    return await readDailyEtaAccuracy(ctx, { repositoryId, days, baseBranch: baseBranch ?? null });
  }
}
