import { Arg, Ctx, Extensions, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { readDepthHistory } from './depth-history.reads.ts';
import { QueueDepthPoint } from './depth-history.types.ts';
import { Queue } from './queue.types.ts';

@Resolver(() => Queue)
export class QueueDepthHistoryResolver {
  @Extensions({ price: 1_000, rows: 200 })
  @FieldResolver(() => [QueueDepthPoint], {
    description:
      'How long its line was over time, with what landed and was reset: in equal intervals from `from` up to `to`, which are at most 31 days apart.',
  })
  async depthHistory(
    @Ctx() ctx: GraphQLContext,
    @Root() queue: Queue,
    @Arg('from', () => DateTime, { description: 'When the first interval begins.' }) from: Date,
    @Arg('to', () => DateTime, { description: 'When the last interval ends.' }) to: Date,
    @Arg('points', () => Int, { defaultValue: 200, description: 'How many intervals, from 1 to 500.' }) points: number,
  ): Promise<QueueDepthPoint[]> {
    return await readDepthHistory(ctx, queue, { from, to, points });
  }
}
