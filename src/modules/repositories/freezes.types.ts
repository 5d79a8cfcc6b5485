import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../../graphql/node.ts';
import { DateTime, Glob, TimeZone } from '../../graphql/scalars.ts';
import { describeFreeze } from '../../domain/releases/freeze.ts';
import type { FreezeInForce as FrozenNow } from '../../domain/releases/freeze.ts';
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
    MANUAL: { description: 'A user froze the target at once.' },
    SCHEDULE: { description: 'A user made a schedule of freezes.' },
    ROLLBACK: { description: 'A rollback froze the environment, because the environment is configured so.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A span of time in which nothing is deployed to an environment, or nothing lands on base branches.',
})
export class Freeze {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => freezeSource, { description: 'The source of the freeze.' })
  source!: Source;

  @Field(() => String, { nullable: true, description: 'The reason. Null: none was given.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the freeze begins. Null for a schedule.' })
  startsAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the freeze ends. Null for a schedule, and for a freeze that lasts until a user ends it.',
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
    description: 'The time zone of the cron fields. Null unless it is a schedule.',
  })
  timezone!: string | null;

  @Field(() => Glob, {
    nullable: true,
    description: 'The frozen base branches: a plain name, or a glob. Null for a freeze of an environment.',
  })
  baseBranches!: string | null;

  @Field(() => String, { description: 'The user who made the freeze. After a rollback: the user who rolled back.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the freeze was made.' })
  createdAt!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Why, until when and by which user a base branch or an environment is frozen now.',
})
export class Frozen {
  @Field(() => Freeze, { description: 'The present freeze that ends last.' })
  freeze!: Freeze;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the target is no longer frozen. Null: no end is known.',
  })
  until!: Date | null;

  @Field(() => String, { nullable: true, description: 'The reason. Null: none was given.' })
  reason!: string | null;

  @Field(() => String, { description: 'The user who made the freeze. After a rollback: the user who rolled back.' })
  createdBy!: string;

  @Field(() => String, { description: 'The freeze as a sentence.' })
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
      'The time zone of the cron fields. An hour that the clocks skip or repeat is neither lost nor doubled.',
  })
  timezone!: string;
}

@InputType({ description: 'Base branches of a repository.' })
export class BaseBranchesInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Glob, { description: 'The base branches: a plain name, or a glob.' })
  baseBranches!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'Base branches on which nothing lands from now on.' })
export class FreezeBranchesInput extends BaseBranchesInput {
  @Field(() => String, {
    nullable: true,
    description: 'The reason, at most 1,000 characters. The reason is shown to all users whose pull requests wait.',
  })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'The end. Left out: the freeze lasts until a user ends it.' })
  endsAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `freezeBranches`.' })
export class FreezeBranchesPayload {
  @Field(() => Freeze, { nullable: true, description: 'The new freeze. Null after a preview.' })
  freeze!: Freeze | null;

  dryRun?: DryRun;
}

@ObjectType({ simpleResolvers: true, description: 'A freeze that was made or ended.' })
export class FreezePayload {
  @Field(() => Freeze, {
    description: 'The freeze. After the preview of a schedule, no freeze has this id.',
  })
  freeze!: Freeze;

  dryRun?: DryRun;
}

@ObjectType({ simpleResolvers: true, description: 'The ended freezes.' })
export class UnfreezePayload {
  @Field(() => Int, { description: 'How many freezes were ended.' })
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

/** `target`: the name of the branch or environment that is frozen, for the sentence. */
export function toFrozenNode(target: string, frozen: FrozenNow<StoredFreeze> | null): Frozen | null {
  if (frozen === null) return null;
  const { freeze, until } = frozen;
  return {
    freeze: toFreezeNode(freeze),
    until: until === null ? null : new Date(until),
    reason: freeze.reason,
    createdBy: freeze.createdBy,
    sentence: `${target} is ${describeFreeze(frozen)}`,
  };
}
