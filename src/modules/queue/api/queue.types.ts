import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../../../graphql/node.ts';
import { DateTime, GitObjectID } from '../../../graphql/scalars.ts';
import type { QueueAsOf } from './as-of.loader.ts';
import { Impact } from './dry-run.types.ts';
import { Repository, RepositoryInput } from '../../repositories/repositories.types.ts';

@ObjectType({ simpleResolvers: true, description: 'How many pull requests are in line now (interface 2.9).' })
export class QueueDepth {
  @Field(() => Int, { description: 'All pull requests in line. Pending and blocked pull requests are not in line.' })
  queued!: number;

  @Field(() => Int, {
    description:
      'Pull requests in line that are processed: at most `max_parallel_builds` in parallel mode, and all of them in every other mode.',
  })
  processing!: number;

  @Field(() => Int, { description: 'Pull requests in line that are not processed. Always 0 unless in parallel mode.' })
  waiting!: number;

  @Field(() => Int, { description: 'Pull requests in line in a batch whose bot pull request exists.' })
  tagged!: number;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'The queue of one base branch. It exists from its first pull request on.',
})
export class Queue {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Repository, { description: 'The repository it belongs to.' })
  repository!: Repository;

  @Field(() => String, { description: 'The branch it merges into.' })
  baseBranch!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Why nothing is merged until an admin resumes it. Null unless it is halted.',
  })
  haltedReason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was halted. Null unless it is halted.' })
  haltedAt!: Date | null;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The tip of the base branch that the queue has recorded. Null before its first read.',
  })
  baseTip!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'The instant as of which the queue is returned. Its own fields, its entries and its batches have their values of that instant. Texts of pull requests, and objects linked from them, have their present values. Null: now.',
  })
  asOf!: Date | null;

  repositoryId!: string;
  waitingCount!: number;
  taggedCount!: number;
  /** The queue at an instant in the past. Absent: now. */
  past?: PastQueue;
}

export interface PastQueue extends QueueAsOf {
  readonly at: Date;
}

@InputType({ description: 'A reference to a queue.' })
export class QueueRefInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The branch it merges into.' })
  baseBranch!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the request would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A queue to halt, and why.' })
export class HaltQueueInput extends QueueRefInput {
  @Field(() => String, { description: 'The reason, which explanations of the pull requests in line contain.' })
  reason!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The queue after the change.' })
export class QueuePayload {
  @Field(() => Queue, { description: 'The queue as it is now.' })
  queue!: Queue;

  @Field(() => Impact, {
    nullable: true,
    description: 'What the request would do. Null unless a preview was requested.',
  })
  impact?: Impact | null;
}
