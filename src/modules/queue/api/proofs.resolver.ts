// Reads how many landings have a proof, and whether the proofs were correct when they were last verified.
import { Ctx, Extensions, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { Context } from '../../../context.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { requireScope } from '../../accounts/index.ts';
import { Repository } from '../../repositories/repositories.types.ts';

@ObjectType({ simpleResolvers: true, description: 'The proofs of a repository’s landings (docs/proofs.md).' })
export class RepositoryProofs {
  @Field(() => Int, {
    description:
      'The number of landings with a proof of what was tested, on all base branches. A landing whose validation was skipped does not count.',
  })
  count!: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When `npm run verify` last verified them. If this differs between base branches, it is the earliest time. Null: the proofs of a base branch were never verified, or nothing has landed.',
  })
  verifiedAt!: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether all proofs were correct when they were last verified. Null if `verifiedAt` is null.',
  })
  holds!: boolean | null;
}

@Resolver(() => Repository)
export class RepositoryProofsResolver {
  @Extensions({ price: 200 })
  @FieldResolver(() => RepositoryProofs, { description: 'The proofs of its landings. Needs queue:read.' })
  async proofs(@Ctx() ctx: GraphQLContext, @Root() { id }: Repository): Promise<RepositoryProofs> {
    requireScope(ctx, 'queue:read');
    return await readProofs(ctx, id);
  }
}

interface QueueProofs {
  readonly count: number;
  readonly verifiedAt: Date | null;
  readonly failed: number | null;
}

/** Reads how many landings have a proof of what was tested, and what `npm run verify` found. */
export async function readProofs(ctx: Context, repositoryId: string): Promise<RepositoryProofs> {
  const queues = await ctx.db.read<QueueProofs>(ctx.accountId, {
    name: 'repository_proofs',
    text: `select proved.total - untested.count as count, q.proofs_verified_at as "verifiedAt", q.proofs_failed as failed
      from queue q, lateral (
        select count(*)::integer as total from proof p
        where p.account_id = q.account_id and p.queue_id = q.id) proved, lateral (
        select count(*)::integer as count from landing l
        where l.account_id = q.account_id and l.queue_id = q.id and l.grade = 'unvalidated'
          and exists (select 1 from proof p where p.account_id = l.account_id and p.landing_id = l.id)) untested
      where q.account_id = $1 and q.repository_id = $2 and proved.total > 0`,
    values: [ctx.accountId, repositoryId],
  });
  const count = queues.reduce((sum, queue) => sum + queue.count, 0);
  const instants = queues.flatMap(({ verifiedAt }) => verifiedAt ?? []);
  if (queues.length === 0 || instants.length < queues.length) return { count, verifiedAt: null, holds: null };
  const verifiedAt = instants.reduce((first, at) => (at < first ? at : first));
  return { count, verifiedAt, holds: queues.every(({ failed }) => failed === 0) };
}
