import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { Replayed } from '../../../domain/simulation/replay.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { ConfigurationProblem, RepositoryInput, toProblem } from '../../repositories/repositories.types.ts';
import type { SimulationRead } from './simulation.jobs.ts';
import type { Simulated } from './simulation.service.ts';

@InputType({ description: 'A queue, how far back to look, and what to look at it with.' })
export class SimulateQueueInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { nullable: true, description: 'The branch it merges into. The default branch if not given.' })
  baseBranch?: string | null;

  @Field(() => Int, { defaultValue: 30, description: 'Days to go back, from 1 to 90.' })
  days!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The YAML document to compare with the present one. Only the present one if not given.',
  })
  yaml?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Seconds from being queued to being merged, of merged pull requests.',
})
export class QueueWaits {
  @Field(() => Float, { description: 'Half of them waited no longer.' })
  p50!: number;

  @Field(() => Float, { description: 'Nine of ten waited no longer.' })
  p90!: number;

  @Field(() => Float, { description: 'Nineteen of twenty waited no longer.' })
  p95!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How a queue fared.' })
export class QueueTally {
  @Field(() => QueueWaits, { nullable: true, description: 'Null: nothing was merged.' })
  waits!: QueueWaits | null;

  @Field(() => Int, { description: 'Pull requests merged.' })
  landed!: number;

  @Field(() => Float, { description: 'Pull requests merged in an hour, from the first arrival to the end.' })
  landedPerHour!: number;

  @Field(() => Int, { description: 'Builds asked of CI.' })
  builds!: number;

  @Field(() => Float, { nullable: true, description: 'Builds for each merged pull request. Null: nothing was merged.' })
  buildsPerLanding!: number | null;

  @Field(() => Int, { description: 'Pull requests blocked for a failed build.' })
  ejected!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How a queue would have fared.' })
export class SimulatedQueue extends QueueTally {
  @Field(() => Int, { description: 'Of those blocked, how many pass by themselves as far as is known.' })
  ejectedUnjustly!: number;

  @Field(() => Int, { description: 'Commits on the base branch that would have been red, as far as is known.' })
  red!: number;

  @Field(() => Int, {
    description: 'Merges that rest on builds of their parts, without a build of the whole.',
  })
  composed!: number;

  @Field(() => DateTime, { description: 'How far it was simulated.' })
  until!: Date;

  @Field(() => Int, {
    description: 'How many arrivals were simulated. If there was no time for all, counts are scaled up to all.',
  })
  simulatedArrivals!: number;

  @Field(() => Int, {
    description: 'How many segments were played, spread evenly, each beginning with an empty line. 1: the whole time.',
  })
  segments!: number;

  @Field(() => Boolean, {
    description: 'Whether everything was simulated. False: there was time for a part only, or time ran out at `until`.',
  })
  complete!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The last days of a queue, and what they would have been.' })
export class QueueSimulation {
  @Field(() => Boolean, { description: 'Whether the document is a configuration.' })
  accepted!: boolean;

  @Field(() => [ConfigurationProblem], {
    description: 'Why the text is no configuration. Empty if it is one, or if none was given.',
  })
  problems!: ConfigurationProblem[];

  @Field(() => DateTime, { nullable: true, description: 'The first arrival it begins with. Null: there was none.' })
  from!: Date | null;

  @Field(() => Int, { description: 'How many times a pull request was queued and is simulated.' })
  arrivals!: number;

  @Field(() => QueueTally, {
    nullable: true,
    description:
      'What really happened. Null when the document is refused, and when merges in git are replayed because nothing was queued.',
  })
  observed!: QueueTally | null;

  @Field(() => SimulatedQueue, {
    nullable: true,
    description:
      "The replay under the configuration in force. Its difference from `observed` is the simulation's error.",
  })
  present!: SimulatedQueue | null;

  @Field(() => SimulatedQueue, { nullable: true, description: 'Under the document. Null: none was given.' })
  other!: SimulatedQueue | null;

  @Field(() => [String], { description: 'What is taken for true although the history does not say it.' })
  assumptions!: string[];
}

const refused = { from: null, arrivals: 0, observed: null, present: null, other: null, assumptions: [] };

export function toSimulation(simulated: Simulated): QueueSimulation {
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

function toSimulated(replayed: Replayed, arrivals: number): SimulatedQueue {
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
  description: 'How far a simulation is.',
  valuesConfig: {
    RUNNING: { description: 'It runs.' },
    DONE: { description: '`outcome` has the result.' },
    FAILED: { description: 'It ended without a result: `problem` says why.' },
    LOST: { description: 'The process that ran it has ended, for example because Interlock was started again.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'A simulation that runs on behind the request that started it. The newest 20 of an account are kept.',
})
export class Simulation {
  @Field(() => states, { description: 'How far it is.' })
  state!: SimulationRead['state'];

  @Field(() => Float, { description: 'The share that is simulated, from 0 to 1. It never goes back.' })
  progress!: number;

  @Field(() => String, { description: 'The branch of its queue.' })
  baseBranch!: string;

  @Field(() => Int, { description: 'Days that it goes back.' })
  days!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The YAML document that is compared with the present one. Null: only the present one is simulated.',
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

export function toSimulationJob({ result, ...read }: SimulationRead): Simulation {
  return { ...read, outcome: result && toSimulation(result) };
}

@ObjectType({ simpleResolvers: true, description: 'A simulation that was started, or why the document is refused.' })
export class StartSimulationPayload {
  @Field(() => Simulation, { nullable: true, description: 'It runs. Null: the document is no configuration.' })
  simulation!: Simulation | null;

  @Field(() => [ConfigurationProblem], {
    description: 'Why the text is no configuration. Empty if it is one, or if none was given.',
  })
  problems!: ConfigurationProblem[];
}
