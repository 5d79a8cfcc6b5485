import { Arg, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { Day, TimeZone } from '../../graphql/scalars.ts';
import { Repository } from '../repositories/repositories.types.ts';
import { readAnalytics } from './analytics.service.ts';
import { Analytics } from './analytics.types.ts';

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
    @Arg('start', () => Day, { nullable: true, description: 'The first day. Without it: 29 days before `end`.' })
    start: string | null,
    @Arg('end', () => Day, { nullable: true, description: 'The last day. Without it: today, in the time zone.' })
    end: string | null,
    @Arg('timezone', () => TimeZone, { nullable: true, description: "Without it: the account's." })
    timezone: string | null,
  ): Promise<Analytics> {
    return await readAnalytics(ctx, repository, { start, end, timezone });
  }
}
