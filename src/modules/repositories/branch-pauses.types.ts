import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, Glob } from '../../graphql/scalars.ts';
import { Repository, RepositoryInput, type DryRun } from './repositories.types.ts';

@ObjectType({ simpleResolvers: true, description: 'Whether base branches are paused (interface 2.3).' })
export class BranchPause {
  @Field(() => Glob, { description: 'The base branches: a plain name, or a glob.' })
  pattern!: string;

  @Field(() => Boolean, { description: 'Whether these base branches are paused.' })
  paused!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'The message that Interlock posts on the first pull request in line while the pause is in force. Null: no message.',
  })
  pausedMessage!: string | null;

  @Field(() => Repository, { description: 'The repository of these base branches.' })
  repository!: Repository;
}

@ObjectType({ simpleResolvers: true, description: 'A pause that is in force for a queue.' })
export class QueuePause {
  @Field(() => Glob, {
    nullable: true,
    description: 'The pattern of the rule that pauses the queue. Null: the repository itself is paused.',
  })
  pattern!: string | null;

  @Field(() => String, { nullable: true, description: 'The message of the pause. Null: there is none.' })
  message!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the pause began. Null: the record of the pause was deleted.',
  })
  since!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Email address of the user who paused. Null: the record of the pause was deleted.',
  })
  by!: string | null;
}

@InputType({ description: 'A rule that pauses or unpauses base branches. It replaces the rule with the same pattern.' })
export class PauseBranchesInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Glob, { description: 'The base branches: a plain name, or a glob.' })
  pattern!: string;

  @Field(() => Boolean, { description: 'True stops validating and merging. False resumes both.' })
  paused!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'The message that Interlock posts on the first pull request in line while the base branches are paused. Left out: an earlier message is removed.',
  })
  pausedMessage!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `pauseBranches`.' })
export class PauseBranchesPayload {
  @Field(() => BranchPause, { description: 'The rule as it is now.' })
  branchPause!: BranchPause;

  dryRun?: DryRun;
}
