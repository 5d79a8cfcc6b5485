import DataLoader from 'dataloader';
import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../../domain/errors.ts';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { requireScope } from '../../accounts/index.ts';
import { PullRequest } from './pull-requests.types.ts';

const maxNames = 1_000;

@ObjectType({ simpleResolvers: true, description: 'The parts of the code base that a pull request affects.' })
export class AffectedTargets {
  @Field(() => Int, { description: 'The number of affected targets.' })
  count!: number;

  @Field(() => [String], {
    description: 'The names of the first affected targets, in the order in which they were reported.',
  })
  names!: readonly string[];
}

interface TargetsRequest {
  readonly id: string;
  /** The instant. Null: now. */
  readonly at: Date | null;
  readonly first: number;
}

/** The affected targets of each pull request. Null: they are unknown. */
function targetsOf(ctx: GraphQLContext): DataLoader<TargetsRequest, AffectedTargets | null> {
  return new DataLoader(
    async (requests) => {
      requireScope(ctx, 'queue:read');
      const rows = await ctx.db.read<{ place: number; count: number | null; names: string[] | null }>(ctx.accountId, {
        name: 'affected_targets_of_pull_requests',
        text: `select a.place::int, cardinality(t.targets) as count, t.targets[1:a.first] as names
               from unnest($2::bigint[], $3::timestamptz[], $4::int[]) with ordinality as a (id, at, first, place)
               join pull_request p on p.account_id = $1 and p.id = a.id
               left join lateral (
                 select v.id, v.targets from pull_request_targets_past v
                 where v.account_id = $1 and v.pull_request_id = p.id and v.until_at > a.at order by v.until_at, v.id limit 1
               ) past on true
               cross join lateral (select case when past.id is null then p.affected_targets else past.targets end as targets) t`,
        values: [
          ctx.accountId,
          requests.map(({ id }) => id),
          requests.map(({ at }) => at?.toISOString() ?? 'infinity'),
          requests.map(({ first }) => first),
        ],
      });
      const byPlace = new Map(rows.map((row) => [row.place, row]));
      return requests.map((_, index) => {
        const { count, names } = byPlace.get(index + 1) ?? { count: null, names: null };
        return count === null ? null : { count, names: names ?? [] };
      });
    },
    { cache: false },
  );
}

@Resolver(() => PullRequest)
export class AffectedTargetsResolver {
  @FieldResolver(() => AffectedTargets, {
    nullable: true,
    description:
      'Its affected targets, as reported for its head commit (interface 4.3). Pull requests without a common target do not wait for each other. Null: they are unknown, so it overlaps every other pull request.',
  })
  async affectedTargets(
    @Ctx() ctx: GraphQLContext,
    @Root() { id, past }: PullRequest,
    @Arg('first', () => Int, {
      defaultValue: 50,
      description: 'How many names to return, 50 if not given, at most 1,000.',
    })
    first: number,
  ): Promise<AffectedTargets | null> {
    if (first < 0 || first > maxNames)
      throw new DomainError('BAD_INPUT', `first must be between 0 and ${maxNames}`, 'first');
    return await loaderOf(ctx, targetsOf).load({ id, at: past?.at ?? null, first });
  }
}
