import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { PullRequest } from './pull-requests.types.ts';
import { Queue } from './queue.types.ts';
import { forecasts } from './forecast.reads.ts';
import { QueueEta, toMergeEta, toQueueEtas, type MergeEta } from './forecast.types.ts';

@Resolver(() => Queue)
export class QueueEtasResolver {
  @Extensions({ price: 6_000, rows: 50 })
  @FieldResolver(() => [QueueEta], {
    nullable: true,
    description:
      'When the pull requests in line are merged, in line order, by simulation. Null: not known at this moment.',
  })
  async etas(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<QueueEta[] | null> {
    const forecast = await loaderOf(ctx, forecasts).load(queue.id);
    return forecast === null ? null : toQueueEtas(forecast);
  }
}

/** Null: it is not in line, or no forecast is available now. */
export async function readEta(
  ctx: GraphQLContext,
  { id, queueId, queued }: Pick<PullRequest, 'id' | 'queueId' | 'queued'>,
): Promise<MergeEta | null> {
  const forecast = queued && queueId !== null ? await loaderOf(ctx, forecasts).load(queueId) : null;
  return forecast === null ? null : toMergeEta(forecast, id);
}
