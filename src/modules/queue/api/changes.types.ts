import { ArgsType, Field, ObjectType } from 'type-graphql';
import { PullRequestNumber } from '../../../graphql/scalars.ts';
import { Change, ChangeByEvent, FollowArgs } from '../../../graphql/subscriptions.ts';
import { Repository, RepositoryInput } from '../../repositories/repositories.types.ts';
import { Batch } from './batches.types.ts';
import { PullRequest } from './pull-requests.types.ts';
import { Queue, QueueDepth } from './queue.types.ts';

@ArgsType()
export class FollowRepositoryArgs extends FollowArgs {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;
}

@ArgsType()
export class FollowQueueArgs extends FollowRepositoryArgs {
  @Field(() => String, { description: 'The branch it merges into.' })
  baseBranch!: string;
}

@ArgsType()
export class FollowPullRequestArgs extends FollowArgs {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => PullRequestNumber, {
    nullable: true,
    description: 'Its number. Left out: all pull requests of the repository, also later ones.',
  })
  number?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "The depth of a repository's queues changed." })
export class QueueDepthChange extends Change {
  @Field(() => Repository, { description: 'The repository.' })
  repository!: Repository;

  @Field(() => QueueDepth, { description: 'The depth as it is now.' })
  depth!: QueueDepth;
}

@ObjectType({ simpleResolvers: true, description: 'Something in a queue changed.' })
export class QueueChange extends ChangeByEvent {
  @Field(() => Queue, { description: 'The queue as it is now.' })
  queue!: Queue;

  pullRequestId!: string | null;
  batchId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'There was an event about a batch.' })
export class BatchChange extends ChangeByEvent {
  @Field(() => Batch, { description: 'The batch as it is now.' })
  batch!: Batch;
}

@ObjectType({ simpleResolvers: true, description: 'A pull request changed.' })
export class PullRequestChange extends ChangeByEvent {
  @Field(() => PullRequest, { description: 'The pull request as it is now.' })
  pullRequest!: PullRequest;
}
