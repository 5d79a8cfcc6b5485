// What somebody who watches a queue follows: each change is an event, and shows its subject as it is when it is told.
import { Arg, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import {
  afterDescription,
  mapEvents,
  told,
  type Subscribing,
  type SubscriptionFailure,
} from '../../graphql/event-log-pubsub.ts';
import { PullRequestNumber } from '../../graphql/scalars.ts';
import { requireScope } from '../accounts/index.ts';
import type { FollowedEvent } from '../events/index.ts';
import { Event } from '../events/events.types.ts';
import { loadRepository, type RepositoryName } from '../repositories/index.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';
import { PullRequestChange, QueueChange, QueueDepthChange } from './changes.types.ts';
import { pullRequestById, readPullRequestByNumber } from './pull-requests.reads.ts';
import { PullRequest } from './pull-requests.types.ts';
import { readQueue, readQueueDepth } from './queue.reads.ts';
import type { QueueDepth } from './queue.types.ts';

@Resolver(() => Event)
export class ChangesResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The pull request it is about. Null when it is about none.',
  })
  async pullRequest(@Ctx() ctx: GraphQLContext, @Root() { pullRequestId }: Event): Promise<PullRequest | null> {
    return pullRequestId === null ? null : await loaderOf(ctx, pullRequestById).load(pullRequestId);
  }

  @Subscription(() => QueueDepthChange, {
    subscribe: followDepth,
    description: "The depth of a repository's queues, each time it changed. Needs queue:read.",
  })
  queueDepthChanged(
    @Root() change: QueueDepthChange | SubscriptionFailure,
    @Arg('repository', () => RepositoryInput, { description: 'The repository.' }) _repository: RepositoryInput,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): QueueDepthChange {
    return told(change);
  }

  @Subscription(() => QueueChange, {
    subscribe: followQueue,
    description: 'A queue, each time something in it changed. It need not exist yet. Needs queue:read.',
  })
  queueChanged(
    @Root() change: QueueChange | SubscriptionFailure,
    @Arg('repository', () => RepositoryInput, { description: 'The repository.' }) _repository: RepositoryInput,
    @Arg('baseBranch', () => String, { description: 'The branch it merges into.' }) _baseBranch: string,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): QueueChange {
    return told(change);
  }

  @Subscription(() => PullRequestChange, {
    subscribe: followPullRequest,
    description: 'A pull request, each time it changed. Needs queue:read.',
  })
  pullRequestChanged(
    @Root() change: PullRequestChange | SubscriptionFailure,
    @Arg('repository', () => RepositoryInput, { description: 'Its repository.' }) _repository: RepositoryInput,
    @Arg('number', () => PullRequestNumber, { description: 'Its number.' }) _number: number,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): PullRequestChange {
    return told(change);
  }
}

async function followDepth({
  args,
  context,
}: Subscribing<{ repository: RepositoryName }>): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  const follower = context.events.follow({
    accountId: context.accountId,
    after: args.after,
    matches: (event) => event.repositoryId === id,
  });
  await follower.started;
  // Resumed, the depth that was seen last is not known: the first change is told in any case.
  let last = args.after ? '' : depthKey(await readQueueDepth(context, await loadRepository(context, args.repository)));
  return mapEvents(follower, async ({ cursor }) => {
    const repository = await loadRepository(context, args.repository);
    const depth = await readQueueDepth(context, repository);
    if (depthKey(depth) === last) return null;
    last = depthKey(depth);
    return { cursor, repository, depth };
  });
}

function depthKey({ queued, processing, waiting, tagged }: QueueDepth): string {
  return [queued, processing, waiting, tagged].join();
}

async function followQueue({
  args,
  context,
}: Subscribing<{ repository: RepositoryName; baseBranch: string }>): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  // An event of the repository alone, such as a pause, concerns all of its queues.
  const follower = context.events.follow({
    accountId: context.accountId,
    after: args.after,
    matches: (event) => event.repositoryId === id,
  });
  await follower.started;
  return mapEvents(follower, async (event) => {
    const queue = await readQueue(context, await loadRepository(context, args.repository), args.baseBranch);
    if (queue === null || (event.queueId !== null && event.queueId !== queue.id)) return null;
    return { cursor: event.cursor, action: event.action, queue };
  });
}

async function followPullRequest({
  args,
  context,
}: Subscribing<{ repository: RepositoryName; number: number }>): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const found = await readPullRequestByNumber(context, await loadRepository(context, args.repository), args.number);
  if (found === null) throw notFound('Pull request');
  const matches = (event: FollowedEvent): boolean => event.pullRequestId === found.id;
  const follower = context.events.follow({ accountId: context.accountId, after: args.after, matches });
  await follower.started;
  return mapEvents(follower, async ({ cursor, action }) => {
    const pullRequest = await loaderOf(context, pullRequestById).load(found.id);
    return pullRequest && { cursor, action, pullRequest };
  });
}
