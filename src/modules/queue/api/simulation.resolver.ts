import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../../domain/errors.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { toProblem, Repository } from '../../repositories/repositories.types.ts';
import { readSimulations, startSimulation } from './simulation.background.ts';
import { simulateQueue, type SimulationRequest } from './simulation.service.ts';
import {
  QueueSimulation,
  SimulateQueueInput,
  Simulation,
  StartSimulationPayload,
  toSimulation,
  toSimulationNode,
} from './simulation.types.ts';

const maxShown = 20;

@Resolver(() => Repository)
export class SimulationResolver {
  @Extensions({ price: 100_000 })
  @Query(() => QueueSimulation, {
    description:
      'Simulates the last days of a queue under the present configuration and under another one. Nothing is written. It may take a minute, and an account may run one simulation at a time. Needs analytics:read.',
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
      'Starts a simulation like that of `simulateQueue`, and returns at once. The simulation may take five minutes, so that longer histories are simulated completely. `Repository.simulations` has its progress and result. An account may run one at a time; otherwise the request is refused with RATE_LIMITED. The queue is not changed. Needs analytics:read, and for a person who signed in with GitHub the permission write in the repository.',
  })
  async startSimulation(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SimulateQueueInput, { description: 'The queue, the days, and the other configuration.' })
    input: SimulateQueueInput,
  ): Promise<StartSimulationPayload> {
    const started = await startSimulation(ctx, requestOf(input));
    if ('problems' in started) return { simulation: null, problems: started.problems.map(toProblem) };
    return { simulation: toSimulationNode(started.simulation), problems: [] };
  }

  @Extensions({ rows: 20 })
  @FieldResolver(() => [Simulation], {
    description: 'The simulations that `startSimulation` started, newest first. Needs analytics:read.',
  })
  async simulations(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Repository,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 20,
      description: 'How many to return. 20 if not given, which is all of them.',
    })
    first: number | null,
  ): Promise<Simulation[]> {
    const max = first ?? maxShown;
    if (max < 1 || max > maxShown)
      throw new DomainError('BAD_INPUT', `first must be between 1 and ${maxShown}`, 'first');
    return (await readSimulations(ctx, id, max)).map(toSimulationNode);
  }
}

function requestOf({ repository, baseBranch, days, yaml }: SimulateQueueInput): SimulationRequest {
  return { repository, days, baseBranch: baseBranch ?? null, yaml: yaml ?? null };
}
