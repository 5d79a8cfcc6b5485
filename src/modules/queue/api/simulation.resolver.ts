import { Arg, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { simulateQueue } from './simulation.service.ts';
import { QueueSimulation, SimulateQueueInput, toSimulation } from './simulation.types.ts';

@Resolver()
export class SimulationResolver {
  @Extensions({ price: 100_000 })
  @Query(() => QueueSimulation, {
    description:
      'Replays the last days of a queue under the configuration in force and under another one. Nothing is written; it may take a minute, and an account has one at a time. Needs analytics:read.',
  })
  async simulateQueue(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SimulateQueueInput, { description: 'The queue, the days, and the other configuration.' })
    { repository, baseBranch, days, yaml }: SimulateQueueInput,
  ): Promise<QueueSimulation> {
    const request = { repository, days, baseBranch: baseBranch ?? null, yaml: yaml ?? null };
    return toSimulation(await simulateQueue(ctx, request));
  }
}
