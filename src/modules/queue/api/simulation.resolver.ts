import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../../domain/errors.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { toProblem, Repository } from '../../repositories/repositories.types.ts';
import { readSimulations, startSimulation } from './simulation.jobs.ts';
import { simulateQueue, type SimulationRequest } from './simulation.service.ts';
import {
  QueueSimulation,
  SimulateQueueInput,
  Simulation,
  StartSimulationPayload,
  toSimulation,
  toSimulationJob,
} from './simulation.types.ts';

const mostShown = 20;

@Resolver(() => Repository)
export class SimulationResolver {
  @Extensions({ price: 100_000 })
  @Query(() => QueueSimulation, {
    description:
      'Replays the last days of a queue under the configuration in force and under another one. Nothing is written; it may take a minute, and an account has one at a time. Needs analytics:read.',
  })
  async simulateQueue(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SimulateQueueInput, { description: 'The queue, the days, and the other configuration.' })
    input: SimulateQueueInput,
  ): Promise<QueueSimulation> {
    return toSimulation(await simulateQueue(ctx, requestOf(input)));
  }

  @Extensions({ price: 100_000 })
  @Mutation(() => StartSimulationPayload, {
    description:
      'Starts what `simulateQueue` does, and answers at once. It may take five minutes, so that longer histories are simulated whole; `Repository.simulations` says how far it is. An account has one at a time: RATE_LIMITED otherwise. Nothing of the queue is changed. Needs analytics:read, and of a person of GitHub the permission write in the repository.',
  })
  async startSimulation(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SimulateQueueInput, { description: 'The queue, the days, and the other configuration.' })
    input: SimulateQueueInput,
  ): Promise<StartSimulationPayload> {
    const started = await startSimulation(ctx, requestOf(input));
    if ('problems' in started) return { simulation: null, problems: started.problems.map(toProblem) };
    return { simulation: toSimulationJob(started.simulation), problems: [] };
  }

  @Extensions({ rows: 20 })
  @FieldResolver(() => [Simulation], {
    description: 'Its simulations that were started by `startSimulation`, newest first. Needs analytics:read.',
  })
  async simulations(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 20,
      description: 'How many, 20 if not given, which are all.',
    })
    first: number | null,
  ): Promise<Simulation[]> {
    const most = first ?? mostShown;
    if (most < 1 || most > mostShown)
      throw new DomainError('BAD_INPUT', `first must be between 1 and ${mostShown}`, 'first');
    return (await readSimulations(ctx, id, most)).map(toSimulationJob);
  }
}

function requestOf({ repository, baseBranch, days, yaml }: SimulateQueueInput): SimulationRequest {
  return { repository, days, baseBranch: baseBranch ?? null, yaml: yaml ?? null };
}
