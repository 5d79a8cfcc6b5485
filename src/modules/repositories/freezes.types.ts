import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../../graphql/node.ts';
import { DateTime, Glob, TimeZone } from '../../graphql/scalars.ts';
import { frozenText } from '../../domain/releases/freeze.ts';
import type { Frozen as FrozenNow } from '../../domain/releases/freeze.ts';
import type { FreezeSource as Source } from '../../domain/releases/release.ts';
import type { StoredFreeze } from './freezes.rows.ts';
import { RepositoryInput, type DryRun } from './repositories.types.ts';

export const freezeSource = { MANUAL: 'manual', SCHEDULE: 'schedule', ROLLBACK: 'rollback' } as const satisfies Record<
  string,
  Source
>;
registerEnumType(freezeSource, {
  name: 'FreezeSource',
  description: 'Source of a freeze.',
  valuesConfig: {
    MANUAL: { description: 'A user, who froze it from one moment on.' },
    SCHEDULE: { description: 'A user, who froze it by a schedule.' },
    ROLLBACK: { description: 'A rollback, where its environment is set to freeze itself.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A time in which nothing is deployed to an environment, or nothing lands on base branches.',
})
export class Freeze {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => freezeSource, { description: 'Its source.' })
  source!: Source;

  @Field(() => String, { nullable: true, description: 'The reason. Null: none was given.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it begins. Null for a schedule.' })
  startsAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends. Null for a schedule, and for a freeze that lasts until somebody ends it.',
  })
  endsAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Five cron fields: the times at which the freeze begins. Null unless it is a schedule.',
  })
  cronStart!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Five cron fields: the freeze ends at the first such time after its begin. Null unless it is a schedule.',
  })
  cronEnd!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The time zone its cron fields are read in. Null unless it is a schedule.',
  })
  timezone!: string | null;

  @Field(() => Glob, {
    nullable: true,
    description: 'The base branches it freezes: a plain name, or a glob. Null for a freeze of an environment.',
  })
  baseBranches!: string | null;

  @Field(() => String, { description: 'The user who made it. After a rollback: the user who rolled back.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'The present freeze of something: why, until when, by which user.' })
export class Frozen {
  @Field(() => Freeze, { description: 'Of the present freezes, the last to end.' })
  freeze!: Freeze;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the last freeze ends. Null when no end is known.',
  })
  until!: Date | null;

  @Field(() => String, { nullable: true, description: 'The reason. Null: none was given.' })
  reason!: string | null;

  @Field(() => String, { description: 'The user who made the freeze. After a rollback: the user who rolled back.' })
  createdBy!: string;

  @Field(() => String, { description: 'The same as a sentence.' })
  sentence!: string;
}

@InputType({ description: 'A schedule of freezes.' })
export class FreezeScheduleInput {
  @Field(() => String, { description: 'Five cron fields: the times at which the freeze begins.' })
  cronStart!: string;

  @Field(() => String, { description: 'Five cron fields: the freeze ends at the first such time after its begin.' })
  cronEnd!: string;

  @Field(() => TimeZone, {
    description:
      'The time zone the fields are read in. An hour that the clocks skip or repeat is neither lost nor doubled.',
  })
  timezone!: string;
}

@InputType({ description: 'Base branches of a repository.' })
export class BaseBranchesInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Glob, { description: 'Which base branches: a plain name, or a glob.' })
  baseBranches!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing, and answers in `impact` what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'Base branches on which nothing lands from now on.' })
export class FreezeBranchesInput extends BaseBranchesInput {
  @Field(() => String, {
    nullable: true,
    description: 'The reason, at most 1,000 characters. It is shown to everybody who waits.',
  })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'The end. Left out: it lasts until somebody ends it.' })
  endsAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `freezeBranches`.' })
export class FreezeBranchesPayload {
  @Field(() => Freeze, { nullable: true, description: 'The freeze that was made. Null when it was only previewed.' })
  freeze!: Freeze | null;

  dryRun?: DryRun;
}

@ObjectType({ simpleResolvers: true, description: 'A freeze that was made or ended.' })
export class FreezePayload {
  @Field(() => Freeze, {
    description: 'The freeze. In the preview of a schedule, its id names nothing.',
  })
  freeze!: Freeze;

  dryRun?: DryRun;
}

@ObjectType({ simpleResolvers: true, description: 'The ended freezes.' })
export class UnfreezePayload {
  @Field(() => Int, { description: 'How many freezes there were.' })
  deleted!: number;

  dryRun?: DryRun;
}

export function toFreezeNode({ span, createdAt, ...freeze }: StoredFreeze): Freeze {
  const isOnce = 'startsAt' in span;
  return {
    ...freeze,
    startsAt: isOnce ? new Date(span.startsAt) : null,
    endsAt: isOnce && span.endsAt !== null ? new Date(span.endsAt) : null,
    cronStart: isOnce ? null : span.cronStart,
    cronEnd: isOnce ? null : span.cronEnd,
    timezone: isOnce ? null : span.timezone,
    createdAt: new Date(createdAt),
  };
}

/** `what`: the name of what is frozen, such as a branch, for the sentence. */
export function toFrozenNode(what: string, frozen: FrozenNow<StoredFreeze> | null): Frozen | null {
  if (frozen === null) return null;
  const { freeze, until } = frozen;
  return {
    freeze: toFreezeNode(freeze),
    until: until === null ? null : new Date(until),
    reason: freeze.reason,
    createdBy: freeze.createdBy,
    sentence: `${what} is ${frozenText(frozen)}`,
  };
}
