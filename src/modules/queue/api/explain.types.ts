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
    NOT_ASKED: { description: 'Nobody asked to merge it.' },
    BLOCKED: { description: 'It left the queue, and somebody must act.' },
    PRECONDITION: { description: 'Something has to hold before it is in line.' },
    HALTED: { description: 'Its queue stands until an admin has looked at it.' },
    PAUSED: { description: 'Its base branch or its repository is paused.' },
    HOST_WAIT: { description: 'The code host has asked to wait before it is asked again.' },
    LANDING: { description: 'Its landing: it is merged now or next.' },
    FROZEN: { description: 'Its base branch is frozen.' },
    MERGE_WINDOW: { description: 'A merge window has to open.' },
    FINAL_GATE: { description: 'A workflow that decides after the build runs.' },
    OWN_CHECKS: { description: 'Checks of its own head still run.' },
    BUILD_FAILED: { description: 'Its build failed, and it is not known yet which change is at fault.' },
    BUILDING: { description: 'Its build runs.' },
    IN_LINE: { description: 'Others are before it in line, or no build is free.' },
    UNKNOWN: { description: 'It is not on record: asked of a moment too long ago.' },
  },
});

/** What each condition means. Preconditions describe themselves. */
const conditionMeanings = {
  asked: 'Somebody asked to merge it.',
  open: 'It is open.',
  preconditions: 'What has to hold before it is in line. Its parts are its conditions.',
  validation: 'One validation of the configuration.',
  check: 'One required check.',
  queue: 'Whether its queue goes on: neither halted nor paused.',
  not_halted: 'Its queue is not halted.',
  not_paused: 'Neither its base branch nor its repository is paused.',
  host_answers: 'The code host takes requests. Listed only while it has asked to wait.',
  place: 'Whether it is first in line.',
  build: 'Whether its build is green, check by check.',
  landing: 'What a green build first in line still waits for.',
  landing_checks: 'Whether its own required checks hold its landing back.',
  not_frozen: 'Its base branch is not frozen.',
  merge_window: 'A merge window is open.',
  base_rules:
    'Rules of the code host for the base branch that may refuse the landing, and the cure. Listed only where there are any.',
  final_gate: 'The workflow that decides after its build passed.',
} as const satisfies Record<Exclude<ConditionKind, PreconditionKind>, string>;
const allMeanings: readonly (readonly [string, string])[] = [
  ...Object.entries(conditionMeanings),
  ...Object.entries(preconditionKinds).map(([kind, { meaning }]) => [kind, meaning] as const),
];
const conditionKinds = Object.fromEntries(allMeanings.map(([kind]) => [kind.toUpperCase(), kind]));
registerEnumType(conditionKinds, {
  name: 'ConditionKind',
  description: 'What has to hold before a pull request is merged.',
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
  description: 'Who has to act next.',
  valuesConfig: {
    AUTHOR: { description: 'The author of the pull request.' },
    REVIEWER: { description: 'A reviewer.' },
    CI: { description: 'Nobody by hand: checks run.' },
    QUEUE: { description: 'Nobody: the queue goes on by itself.' },
    ADMIN: { description: 'Somebody who may pause, resume and configure the queue.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The event that brought a condition about.' })
export class ConditionCause {
  @Field(() => String, { description: 'What happened, by the name it has in the event log.' })
  action!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: Date;

  @Field(() => String, { nullable: true, description: 'Who did it. Null: unknown.' })
  actor!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'One thing that has to hold before a pull request is merged.' })
export class MergeCondition {
  @Field(() => conditionKinds, { description: 'Which one.' })
  kind!: ConditionKind;

  @Field(() => String, { nullable: true, description: 'Of a check or a validation. Null for the others.' })
  name!: string | null;

  @Field(() => Boolean, { description: 'Whether it holds.' })
  holds!: boolean;

  @Field(() => String, { description: 'What was found.' })
  observed!: string;

  @Field(() => String, { description: 'What has to be found.' })
  needed!: string;

  @Field(() => actors, { nullable: true, description: 'The person who has to act. Null while it holds.' })
  who!: Condition['who'];

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when it is as observed, as far back as is on record. Null: that is not kept.',
  })
  since!: Date | null;

  @Field(() => ConditionCause, { nullable: true, description: 'The event that brought it about. Null: none did.' })
  cause!: ConditionCause | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the queue looks again although nothing happens. Null: when something does.',
  })
  nextCheckAt!: Date | null;

  @Field(() => String, { description: 'The same for people.' })
  sentence!: string;

  @Field(() => [MergeCondition], { description: 'Its parts. Empty: it has none.' })
  conditions!: MergeCondition[];
}

@ObjectType({ simpleResolvers: true, description: 'Why a pull request is not merged yet.' })
export class Explanation {
  @Field(() => reasonKinds, { description: 'The reason, for programs.' })
  kind!: ReasonKind;

  @Field(() => actors, { nullable: true, description: 'Who has to act. Null when nothing is left to do.' })
  who!: Reason['who'];

  @Field(() => String, { description: 'The reason, for people, and when it is merged where a forecast is known.' })
  sentence!: string;

  @Field(() => String, {
    description: 'The reason alone, for people. A query that selects this field and not `sentence` needs no forecast.',
  })
  reason!: string;

  @Field(() => DateTime, { description: 'The moment it is about.' })
  at!: Date;

  @Field(() => MergeEta, {
    nullable: true,
    description: 'When it is merged, if it lands. Null for a moment in the past, out of line, and when unknown.',
  })
  eta!: MergeEta | null;

  @Extensions({ price: 320, once: 3_000 })
  @Field(() => [MergeCondition], {
    description:
      'All conditions of the merge, in the order in which they apply. Empty when it is merged, or nothing is on record.',
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
