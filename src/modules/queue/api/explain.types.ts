import { Extensions, Field, ObjectType, registerEnumType } from 'type-graphql';
import type { Reason, ReasonKind } from '../../../domain/queue/explain/explain.ts';
import type { Cause, Condition, ConditionKind } from '../../../domain/queue/explain/condition.ts';
import { preconditionKinds, type PreconditionKind } from '../../../domain/queue/requests/admission.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { MergeEta } from './forecast.types.ts';

const reasonKinds = {
  MERGED: 'merged',
  CLOSED: 'closed',
  NOT_ASKED: 'not_asked',
  BLOCKED: 'blocked',
  PRECONDITION: 'precondition',
  HALTED: 'halted',
  PAUSED: 'paused',
  HOST_WAIT: 'host_wait',
  LANDING: 'landing',
  FROZEN: 'frozen',
  MERGE_WINDOW: 'merge_window',
  FINAL_GATE: 'final_gate',
  OWN_CHECKS: 'own_checks',
  BUILD_FAILED: 'build_failed',
  BUILDING: 'building',
  IN_LINE: 'in_line',
  UNKNOWN: 'unknown',
} as const satisfies Record<Uppercase<ReasonKind>, ReasonKind>;
registerEnumType(reasonKinds, {
  name: 'ExplanationKind',
  description: 'What keeps a pull request from being merged.',
  valuesConfig: {
    MERGED: { description: 'Nothing: it is merged.' },
    CLOSED: { description: 'It is closed.' },
    NOT_ASKED: { description: 'Nobody has requested its merge.' },
    BLOCKED: { description: 'It left the queue, and somebody must act.' },
    PRECONDITION: { description: 'A condition must hold before it enters the line.' },
    HALTED: { description: 'Its queue is halted until an admin resumes it.' },
    PAUSED: { description: 'Its base branch or its repository is paused.' },
    HOST_WAIT: {
      description: 'The code host refuses requests for a while, or Interlock makes its first copy of the repository.',
    },
    LANDING: { description: 'It is landing: it is merged now or next.' },
    FROZEN: { description: 'Its base branch is frozen.' },
    MERGE_WINDOW: { description: 'It waits until a merge window opens.' },
    FINAL_GATE: { description: 'Its final gate runs.' },
    OWN_CHECKS: { description: 'Checks on its own head are still running.' },
    BUILD_FAILED: { description: 'Its build failed, and it is not known yet which change is at fault.' },
    BUILDING: { description: 'Its build is running.' },
    IN_LINE: { description: 'Others are before it in line, or no build is free.' },
    UNKNOWN: {
      description:
        'The reason is not on record: the instant is too long ago, or Interlock did not know the pull request yet.',
    },
  },
});

/** What each condition means. `preconditionKinds` has the meanings of preconditions. */
const conditionMeanings = {
  asked: 'Its merge is requested.',
  open: 'It is open.',
  preconditions: 'The preconditions of entering the line, each of which is one of its conditions.',
  validation: 'One validation of the configuration.',
  check: 'One required check.',
  queue: 'Whether its queue works: it is neither halted nor paused.',
  not_halted: 'Its queue is not halted.',
  not_paused: 'Neither its base branch nor its repository is paused.',
  host_answers:
    'The code host accepts requests, and Interlock has a copy of the repository. Listed only while this does not hold.',
  place: 'Whether it is first in line.',
  build: 'Whether its build is green, check by check.',
  landing: 'The conditions of the landing of a pull request that is first in line and has a green build.',
  landing_checks: 'Whether its own required checks allow its landing.',
  not_frozen: 'Its base branch is not frozen.',
  merge_window: 'A merge window is open.',
  base_rules:
    'Why rules of the code host for the base branch may refuse the landing, and what to change. Listed only if there are such rules.',
  final_gate: 'The workflow that must succeed after its build has passed.',
} as const satisfies Record<Exclude<ConditionKind, PreconditionKind>, string>;
const allMeanings: readonly (readonly [string, string])[] = [
  ...Object.entries(conditionMeanings),
  ...Object.entries(preconditionKinds).map(([kind, { meaning }]) => [kind, meaning] as const),
];
const conditionKinds = Object.fromEntries(allMeanings.map(([kind]) => [kind.toUpperCase(), kind]));
registerEnumType(conditionKinds, {
  name: 'ConditionKind',
  description: 'The kinds of conditions that must hold before a pull request is merged.',
  valuesConfig: Object.fromEntries(allMeanings.map(([kind, description]) => [kind.toUpperCase(), { description }])),
});

const actors = {
  AUTHOR: 'author',
  REVIEWER: 'reviewer',
  CI: 'ci',
  QUEUE: 'queue',
  ADMIN: 'admin',
} as const satisfies Record<Uppercase<NonNullable<Reason['who']>>, NonNullable<Reason['who']>>;
registerEnumType(actors, {
  name: 'ExplanationActor',
  description: 'Who must act next.',
  valuesConfig: {
    AUTHOR: { description: 'The author of the pull request.' },
    REVIEWER: { description: 'A reviewer.' },
    CI: { description: 'Nobody: checks are running.' },
    QUEUE: { description: 'Nobody: the queue continues by itself.' },
    ADMIN: { description: 'Somebody who may pause, resume and configure the queue.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The event that caused the present state of a condition.' })
export class ConditionCause {
  @Field(() => String, { description: 'What happened, by its name in the event log.' })
  action!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: Date;

  @Field(() => String, { nullable: true, description: 'Who did it. Null: unknown.' })
  actor!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A condition that must hold before a pull request is merged.' })
export class MergeCondition {
  @Field(() => conditionKinds, { description: 'Its kind.' })
  kind!: ConditionKind;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the check or validation. Null for other conditions.',
  })
  name!: string | null;

  @Field(() => Boolean, { description: 'Whether it holds.' })
  holds!: boolean;

  @Field(() => String, { description: 'The observed value.' })
  observed!: string;

  @Field(() => String, { description: 'The value that is needed.' })
  needed!: string;

  @Field(() => actors, { nullable: true, description: 'Who must act. Null while it holds.' })
  who!: Condition['who'];

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it got the observed value, or the time of the oldest record if the value is older. Null: the time is not recorded.',
  })
  since!: Date | null;

  @Field(() => ConditionCause, {
    nullable: true,
    description: 'The event that caused the observed value. Null: there is none.',
  })
  cause!: ConditionCause | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the queue examines it again even if no event happens. Null: only after an event.',
  })
  nextCheckAt!: Date | null;

  @Field(() => String, { description: 'The condition as a sentence for people.' })
  sentence!: string;

  @Field(() => [MergeCondition], { description: 'The conditions that it consists of. Empty if there are none.' })
  conditions!: MergeCondition[];
}

@ObjectType({ simpleResolvers: true, description: 'Why a pull request is not merged yet.' })
export class Explanation {
  @Field(() => reasonKinds, { description: 'The reason, for programs.' })
  kind!: ReasonKind;

  @Field(() => actors, { nullable: true, description: 'Who must act. Null if nothing is left to do.' })
  who!: Reason['who'];

  @Field(() => String, {
    description:
      'The reason as a sentence for people. It says when the pull request will be merged, if there is a forecast.',
  })
  sentence!: string;

  @Field(() => String, {
    description:
      'The reason alone, as a sentence for people. A query that selects this field and not `sentence` needs no forecast.',
  })
  reason!: string;

  @Field(() => DateTime, { description: 'The instant that is explained.' })
  at!: Date;

  @Field(() => MergeEta, {
    nullable: true,
    description:
      'When it will be merged, if it lands. Null for an instant in the past, if it is not in line, and if there is no forecast.',
  })
  eta!: MergeEta | null;

  @Extensions({ price: 320, once: 3_000 })
  @Field(() => [MergeCondition], {
    description:
      'All conditions of the merge, in the order in which they apply. Empty if it is merged, or if nothing is on record.',
  })
  conditions!: MergeCondition[];
}

export function toMergeCondition(condition: Condition): MergeCondition {
  return {
    ...condition,
    since: toDate(condition.since),
    nextCheckAt: toDate(condition.nextCheckAt),
    cause: condition.cause && toConditionCause(condition.cause),
    conditions: condition.conditions.map(toMergeCondition),
  };
}

function toConditionCause({ action, at, actor }: Cause): ConditionCause {
  return { action, at: new Date(at), actor };
}

function toDate(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
