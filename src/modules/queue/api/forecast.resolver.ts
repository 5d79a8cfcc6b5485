import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { membersOfBatch } from './batches.reads.ts';
import type { Batch } from './batches.types.ts';
import type { PullRequest } from './pull-requests.types.ts';
import { Queue } from './queue.types.ts';
import { forecasts, readWholeLine } from './forecast.reads.ts';
import { QueueEta, toMergeEta, toQueueEtas, type MergeEta } from './forecast.types.ts';

@Resolver(() => Queue)
export class QueueEtasResolver {
  @Extensions({ price: 6_000, rows: 50 })
  @FieldResolver(() => [QueueEta], {
    nullable: true,
    description:
      'When the pull requests in line will be merged, in queue order, by simulation. Null: there is no forecast now, or the queue is one of an instant in the past.',
  })
  async etas(@Ctx() ctx: GraphQLContext, @Root() queue: Queue): Promise<QueueEta[] | null> {
    const forecast = queue.past ? null : await loaderOf(ctx, forecasts).load(queue.id);
    if (forecast === null) return null;
    const line = forecast.isFront ? await readWholeLine(ctx, queue.id) : forecast.line;
    return toQueueEtas({ ...forecast, line });
  }
}

/** Null: the pull request is not in line, or there is no forecast now. */
export async function readEta(
  ctx: GraphQLContext,
  { id, queueId, queued, skipLine }: Pick<PullRequest, 'id' | 'queueId' | 'queued' | 'skipLine'>,
): Promise<MergeEta | null> {
  const forecast = queued && queueId !== null ? await loaderOf(ctx, forecasts).load(queueId) : null;
  if (forecast === null) return null;
  // A pull request that skips the line is not behind the front: it has come after the forecast.
  return skipLine && !forecast.etas.has(id) ? null : toMergeEta(forecast, id);
}

/** When the member that is last in line will be merged. Null: no member is in line, or there is no forecast now. */
export async function readBatchEta(ctx: GraphQLContext, { id, queueId }: Batch): Promise<MergeEta | null> {
  const [forecast, members] = await Promise.all([
    loaderOf(ctx, forecasts).load(queueId),
    loaderOf(ctx, membersOfBatch).load(id),
  ]);
  if (forecast === null) return null;
  const ids = new Set(members.map(({ pullRequest }) => pullRequest.id));
  const last = forecast.line.findLast((entry) => ids.has(entry.id));
  return last === undefined ? null : toMergeEta(forecast, last.id);
}
