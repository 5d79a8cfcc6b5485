import { Field, ObjectType } from 'type-graphql';
import { Repository } from '../repositories/repositories.types.ts';
import { PullRequest } from './pull-requests.types.ts';
import { Queue, QueueDepth } from './queue.types.ts';

@ObjectType({ simpleResolvers: true, description: "The depth of a repository's queues changed." })
export class QueueDepthChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => Repository, { description: 'The repository.' })
  repository!: Repository;

  @Field(() => QueueDepth, { description: 'The depth as it is now.' })
  depth!: QueueDepth;
}

@ObjectType({ simpleResolvers: true, description: 'Something in a queue changed.' })
export class QueueChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

  @Field(() => Queue, { description: 'The queue as it is now.' })
  queue!: Queue;
}

@ObjectType({ simpleResolvers: true, description: 'A pull request changed.' })
export class PullRequestChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

  @Field(() => PullRequest, { description: 'The pull request as it is now.' })
  pullRequest!: PullRequest;
}
