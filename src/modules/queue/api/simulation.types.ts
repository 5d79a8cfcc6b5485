import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ReplayResult } from '../../../domain/simulation/replay.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { ConfigurationProblem, RepositoryInput, toProblem } from '../../repositories/repositories.types.ts';
import type { SimulationRead } from './simulation.background.ts';
import type { SimulationResult } from './simulation.service.ts';

@InputType({ description: 'A queue, how many days of it to simulate, and under which configuration.' })
export class SimulateQueueInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { nullable: true, description: 'The branch it merges into. The default branch if not given.' })
  baseBranch?: string | null;

  @Field(() => Int, { defaultValue: 30, description: 'How many of the last days to simulate, from 1 to 90.' })
  days!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The configuration, as YAML, to compare with the present one. If not given, only the present one is simulated.',
  })
  yaml?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Seconds from being queued to being merged, of merged pull requests.',
})
export class QueueWaits {
  @Field(() => Float, { description: 'Half of the pull requests waited no longer.' })
  p50!: number;

  @Field(() => Float, { description: 'Nine of ten pull requests waited no longer.' })
  p90!: number;

  @Field(() => Float, { description: 'Nineteen of twenty pull requests waited no longer.' })
  p95!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Figures about a queue.' })
export class QueueTally {
  @Field(() => QueueWaits, { nullable: true, description: 'Null: nothing was merged.' })
  waits!: QueueWaits | null;

  @Field(() => Int, { description: 'Pull requests merged.' })
  landed!: number;

  @Field(() => Float, { description: 'Pull requests merged in an hour, from the first arrival to the end.' })
  landedPerHour!: number;

  @Field(() => Int, { description: 'Builds that CI ran.' })
  builds!: number;

  @Field(() => Float, { nullable: true, description: 'Builds for each merged pull request. Null: nothing was merged.' })
  buildsPerLanding!: number | null;

  @Field(() => Int, { description: 'Pull requests that a failed build blocked.' })
  ejected!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Figures about a simulated queue.' })
export class SimulatedQueue extends QueueTally {
  @Field(() => Int, {
    description: 'How many of the blocked pull requests are green without others, as far as is known.',
  })
  ejectedUnjustly!: number;

  @Field(() => Int, { description: 'Commits on the base branch that would have been red, as far as is known.' })
  red!: number;

  @Field(() => Int, {
    description: 'Landings that builds of parts justify, without a build of the whole tree.',
  })
  composed!: number;

  @Field(() => DateTime, { description: 'The instant up to which it was simulated.' })
  until!: Date;

  @Field(() => Int, {
    description:
      'How many arrivals were simulated. If there was not enough time for all, the counts are extrapolated to all.',
  })
  simulatedArrivals!: number;

  @Field(() => Int, {
    description:
      'How many separate spans of time were simulated, each with an empty line at its beginning. 1: the whole time.',
  })
  segments!: number;

  @Field(() => Boolean, {
    description:
      'Whether everything was simulated. False: there was only enough time for a part, or the simulation was stopped at `until`.',
  })
  complete!: boolean;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The last days of a queue, as they were and as simulations of them.',
})
export class QueueSimulation {
  @Field(() => Boolean, { description: 'Whether the document is a valid configuration.' })
  accepted!: boolean;

  @Field(() => [ConfigurationProblem], {
    description: 'Why the document is not a valid configuration. Empty if it is valid, or if none was given.',
  })
  problems!: ConfigurationProblem[];

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the first simulated pull request was queued. Null: there was none.',
  })
  from!: Date | null;

  @Field(() => Int, { description: 'How many times pull requests were queued in this time.' })
  arrivals!: number;

  @Field(() => QueueTally, {
    nullable: true,
    description:
      'What really happened. Null if the document is refused, or if the merges in git are replayed because nothing was queued.',
  })
  observed!: QueueTally | null;

  @Field(() => SimulatedQueue, {
    nullable: true,
    description:
      'The simulation under the present configuration. It differs from `observed` by the error of the simulation.',
  })
  present!: SimulatedQueue | null;

  @Field(() => SimulatedQueue, {
    nullable: true,
    description: 'The simulation under the document. Null: none was given.',
  })
  other!: SimulatedQueue | null;

  @Field(() => [String], { description: 'What the simulation assumes because the history does not contain it.' })
  assumptions!: string[];
}

const refused = { from: null, arrivals: 0, observed: null, present: null, other: null, assumptions: [] };

export function toSimulation(simulated: SimulationResult): QueueSimulation {
  if ('problems' in simulated) return { ...refused, accepted: false, problems: simulated.problems.map(toProblem) };
  const { present, other } = simulated;
  const { from, arrivals, observed, assumptions } = present;
  return {
    accepted: true,
    problems: [],
    from: from === null ? null : new Date(from),
    arrivals,
    observed,
    present: toSimulated(present.replayed, arrivals),
    other: other === null ? null : toSimulated(other.replayed, arrivals),
    assumptions: [...assumptions],
  };
}

function toSimulated(replayed: ReplayResult, arrivals: number): SimulatedQueue {
  return {
    ...replayed,
    until: new Date(replayed.until),
    simulatedArrivals: replayed.simulated,
    complete: replayed.simulated === arrivals && replayed.landed + replayed.ejected === arrivals,
  };
}

const states = { RUNNING: 'running', DONE: 'done', FAILED: 'failed', LOST: 'lost' } as const;
registerEnumType(states, {
  name: 'SimulationState',
  description: 'The state of a simulation.',
  valuesConfig: {
    RUNNING: { description: 'It runs.' },
    DONE: { description: '`outcome` has the result.' },
    FAILED: { description: 'It ended without a result. `problem` says why.' },
    LOST: { description: 'The process that ran it has ended, for example because Interlock was started again.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description:
    'A simulation that runs in the background after the request that started it. The newest 20 of an account are kept.',
})
export class Simulation {
  @Field(() => states, { description: 'Its state.' })
  state!: SimulationRead['state'];

  @Field(() => Float, { description: 'The share that has been simulated, from 0 to 1. It never decreases.' })
  progress!: number;

  @Field(() => String, { description: 'The base branch of its queue.' })
  baseBranch!: string;

  @Field(() => Int, { description: 'How many of the last days it simulates.' })
  days!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The configuration, as YAML, that is compared with the present one. Null: only the present one is simulated.',
  })
  yaml!: string | null;

  @Field(() => QueueSimulation, { nullable: true, description: 'The result. Null unless it is done.' })
  outcome!: QueueSimulation | null;

  @Field(() => String, { nullable: true, description: 'Why there is no result. Null unless it failed or was lost.' })
  problem!: string | null;

  @Field(() => String, {
    description: 'The email address of the user who started it; `interlock` for a token of the account.',
  })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was started.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it ended. Null while it runs.' })
  endedAt!: Date | null;
}

export function toSimulationNode({ result, ...read }: SimulationRead): Simulation {
  return { ...read, outcome: result && toSimulation(result) };
}

@ObjectType({ simpleResolvers: true, description: 'A simulation that was started, or why the document is refused.' })
export class StartSimulationPayload {
  @Field(() => Simulation, {
    nullable: true,
    description: 'The started simulation. Null: the document is not a valid configuration.',
  })
  simulation!: Simulation | null;

  @Field(() => [ConfigurationProblem], {
    description: 'Why the document is not a valid configuration. Empty if it is valid, or if none was given.',
  })
  problems!: ConfigurationProblem[];
}
