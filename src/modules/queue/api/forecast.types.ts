import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { etaText } from '../../../domain/simulation/forecast.ts';
import type { Eta, NoEta } from '../../../domain/simulation/forecast.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import type { LineMoves, QueueForecast } from './forecast.reads.ts';

const reasons = {
  HALTED: 'halted',
  PAUSED: 'paused',
  NO_WINDOW: 'no_window',
  NO_BUILD_HISTORY: 'no_build_history',
  TOO_FAR_BACK: 'too_far_back',
  LIKELY_TO_FAIL: 'likely_to_fail',
  TEMPORAL_SILENT: 'temporal_silent',
  NO_WORKER: 'no_worker',
} as const satisfies Record<Uppercase<NoEta>, NoEta>;
registerEnumType(reasons, {
  name: 'EtaUnknown',
  description: 'Why it is not known when a pull request will be merged.',
  valuesConfig: {
    HALTED: { description: 'The queue is halted.' },
    PAUSED: { description: 'A pause is in force.' },
    NO_WINDOW: {
      description:
        'Landings wait for a merge window or for the end of a freeze, and it is not known when the window opens or the freeze ends.',
    },
    NO_BUILD_HISTORY: { description: 'No build of the queue has ended yet.' },
    TOO_FAR_BACK: { description: 'Too many pull requests before it are undecided.' },
    LIKELY_TO_FAIL: { description: 'It is more likely to be blocked than to be merged.' },
    TEMPORAL_SILENT: { description: 'Temporal does not answer, so nothing is landed.' },
    NO_WORKER: { description: 'No worker is running, so nothing is landed.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'When a pull request in line will be merged, if it is merged.' })
export class MergeEta {
  @Field(() => DateTime, {
    nullable: true,
    description: 'It is merged before or after this instant with equal probability. Null: not known.',
  })
  p50!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'It is merged before this instant with a probability of nine in ten. Null: not known.',
  })
  p90!: Date | null;

  @Field(() => Float, {
    nullable: true,
    description: '`p50` in seconds from the instant of the estimate. Null: not known.',
  })
  p50Seconds!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: '`p90` in seconds from the instant of the estimate. Null: not known.',
  })
  p90Seconds!: number | null;

  @Field(() => reasons, { nullable: true, description: 'Why `p50` and `p90` are not known. Null if they are known.' })
  unknown!: NoEta | null;

  @Field(() => String, { description: 'The estimate as a sentence for people, in UTC.' })
  sentence!: string;
}

@ObjectType({ simpleResolvers: true, description: 'When a pull request in line will be merged.' })
export class QueueEta {
  @Field(() => Int, { description: 'Number of the pull request.' })
  number!: number;

  @Field(() => MergeEta, { description: 'When it will be merged, if it is merged.' })
  eta!: MergeEta;
}

@ObjectType({ simpleResolvers: true, description: 'How a change would move the landing of a pull request.' })
export class EtaMove {
  @Field(() => String, { description: 'Its base branch.' })
  baseBranch!: string;

  @Field(() => Int, { description: 'Its number.' })
  number!: number;

  @Field(() => MergeEta, {
    nullable: true,
    description: 'The estimate without the change. Null: it is not in line now.',
  })
  before!: MergeEta | null;

  @Field(() => MergeEta, {
    nullable: true,
    description: 'The estimate with the change. Null: the change takes it out of the line.',
  })
  after!: MergeEta | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'By how many seconds `p50` is later with the change, negative if it is earlier. Null: one of the two estimates is not known.',
  })
  laterSeconds!: number | null;
}

export function toEtaMoves(baseBranch: string, { now, moves }: LineMoves): EtaMove[] {
  return moves.map(({ number, before, after }) => {
    const isKnown = before !== null && after !== null && typeof before !== 'string' && typeof after !== 'string';
    return {
      baseBranch,
      number,
      before: before && mergeEtaOf(before, now),
      after: after && mergeEtaOf(after, now),
      laterSeconds: isKnown ? (after.p50 - before.p50) / 1000 : null,
    };
  });
}

/** Null: the pull request is not in the line of the forecast. */
export function toMergeEta(forecast: QueueForecast, pullRequestId: string): MergeEta | null {
  const { etas, now, isFront, behind } = forecast;
  const eta = etas.get(pullRequestId) ?? (isFront ? behind : undefined);
  return eta === undefined ? null : mergeEtaOf(eta, now);
}

function mergeEtaOf(eta: Eta | NoEta, now: number): MergeEta {
  const sentence = etaText(eta, now);
  if (typeof eta === 'string')
    return { p50: null, p90: null, p50Seconds: null, p90Seconds: null, unknown: eta, sentence };
  const { p50, p90 } = eta;
  const seconds = (at: number) => (at - now) / 1000;
  return {
    p50: new Date(p50),
    p90: new Date(p90),
    p50Seconds: seconds(p50),
    p90Seconds: seconds(p90),
    unknown: null,
    sentence,
  };
}

export function toQueueEtas(forecast: QueueForecast): QueueEta[] {
  return forecast.line.flatMap(({ id, number }) => {
    const eta = toMergeEta(forecast, id);
    return eta === null ? [] : [{ number, eta }];
  });
}
