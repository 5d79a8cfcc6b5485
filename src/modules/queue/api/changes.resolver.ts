// Defines the subscriptions to queues. Each event causes a change, which contains the subject of the event as it is
// when the change is sent.
import { Args, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { notFound } from '../../../domain/errors.ts';
import { concernsQueue } from '../../../domain/events/queue-events.ts';
import { loadIfAny, loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import { followEvents, type SubscriptionRequest } from '../../../graphql/subscriptions.ts';
import { requireScope } from '../../accounts/index.ts';
import { Event } from '../../events/events.types.ts';
import { loadKnownRepository, loadRepository, requireStillSeen } from '../../repositories/index.ts';
import {
  BatchChange,
  FollowPullRequestArgs,
  FollowQueueArgs,
  FollowRepositoryArgs,
  PullRequestChange,
  QueueChange,
  QueueDepthChange,
} from './changes.types.ts';
import { batchById, membersOfBatch } from './batches.reads.ts';
import { Batch } from './batches.types.ts';
import { pullRequestById, readPullRequestByNumber } from './pull-requests.reads.ts';
import { PullRequest } from './pull-requests.types.ts';
import { readQueue, readQueueDepth } from './queue.reads.ts';
import { payloadOf, type SubscriptionValue } from '../../../graphql/subscription-payloads.ts';
import type { QueueDepth } from './queue.types.ts';

@Resolver(() => Event)
export class ChangesResolver {
  @FieldResolver(() => PullRequest, {
    nullable: true,
    description: 'The pull request that the event is about. Null: the event is about no pull request.',
  })
  async pullRequest(@Ctx() ctx: GraphQLContext, @Root() { pullRequestId }: Event): Promise<PullRequest | null> {
    return await loadIfAny(ctx, pullRequestById, pullRequestId);
  }

  @Subscription(() => QueueDepthChange, {
    subscribe: followDepth,
    description: "Sends the depth of a repository's queues each time it changes. Needs queue:read.",
  })
  queueDepthChanged(
    @Root() change: SubscriptionValue<QueueDepthChange>,
    @Args(() => FollowRepositoryArgs) _args: FollowRepositoryArgs,
  ): QueueDepthChange {
    return payloadOf(change);
  }

  @Subscription(() => QueueChange, {
    subscribe: followQueue,
    description: 'Sends a queue each time something in it changes. The queue may not exist yet. Needs queue:read.',
  })
  queueChanged(
    @Root() change: SubscriptionValue<QueueChange>,
    @Args(() => FollowQueueArgs) _args: FollowQueueArgs,
  ): QueueChange {
    return payloadOf(change);
  }

  @Subscription(() => BatchChange, {
    subscribe: followBatches,
    description: 'Sends a batch of a queue each time there is an event about it. Needs queue:read.',
  })
  batchChanged(
    @Root() change: SubscriptionValue<BatchChange>,
    @Args(() => FollowQueueArgs) _args: FollowQueueArgs,
  ): BatchChange {
    return payloadOf(change);
  }

  @Subscription(() => PullRequestChange, {
    subscribe: followPullRequest,
    description:
      'Sends a pull request, or each pull request of a repository, each time there is an event about it. Needs queue:read.',
  })
  pullRequestChanged(
    @Root() change: SubscriptionValue<PullRequestChange>,
    @Args(() => FollowPullRequestArgs) _args: FollowPullRequestArgs,
  ): PullRequestChange {
    return payloadOf(change);
  }
}

@Resolver(() => QueueChange)
export class QueueChangeResolver {
  @FieldResolver(() => [PullRequest], {
    description:
      'The pull requests that the event is about, as they are now: the pull request of the event, or the members of its batch. `position` is the new place of each. The order of all others is unchanged.',
  })
  async pullRequests(
    @Ctx() ctx: GraphQLContext,
    @Root() { pullRequestId, batchId }: QueueChange,
  ): Promise<PullRequest[]> {
    if (pullRequestId === null && batchId !== null)
      return (await loaderOf(ctx, membersOfBatch).load(batchId)).map(({ pullRequest }) => pullRequest);
    const found = await loadIfAny(ctx, pullRequestById, pullRequestId);
    return found === null ? [] : [found];
  }

  @FieldResolver(() => [Batch], { description: 'The batches that the event is about, as they are now.' })
  async batches(@Ctx() ctx: GraphQLContext, @Root() { batchId }: QueueChange): Promise<Batch[]> {
    const found = await loadIfAny(ctx, batchById, batchId);
    return found === null ? [] : [found];
  }
}

async function followDepth(subscribing: SubscriptionRequest<FollowRepositoryArgs>): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  // If the subscriber resumes, it is not known which depth was sent last, so the first change is always sent.
  let last = '';
  const changes = await followEvents(subscribing, {
    sharedAs: 'queueDepthChanged',
    matches: (event) => event.repositoryId === id,
    toChange: async ({ cursor }) => ({ cursor, ...(await readDepth()) }),
    isNews: ({ depth }) => {
      const before = last;
      last = depthKey(depth);
      return last !== before;
    },
  });
  if (!args.after) last = depthKey((await readDepth()).depth);
  return changes;

  async function readDepth(): Promise<Pick<QueueDepthChange, 'repository' | 'depth'>> {
    const repository = await loadKnownRepository(context, args.repository);
    return { repository, depth: await readQueueDepth(context, repository) };
  }
}

function depthKey({ queued, processing, waiting, tagged }: QueueDepth): string {
  return [queued, processing, waiting, tagged].join();
}

async function followQueue(subscribing: SubscriptionRequest<FollowQueueArgs>): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  return await followEvents(subscribing, {
    sharedAs: 'queueChanged',
    matches: (event) => event.repositoryId === id,
    toChange: async (event) => {
      const queue = await readQueue(context, await loadKnownRepository(context, args.repository), args.baseBranch);
      const { cursor, action, pullRequestId, batchId } = event;
      return queue === null || !concernsQueue(event, queue.id)
        ? null
        : { cursor, action, queue, pullRequestId, batchId };
    },
  });
}

async function followBatches(subscribing: SubscriptionRequest<FollowQueueArgs>): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  return await followEvents(subscribing, {
    sharedAs: 'batchChanged',
    matches: (event) => event.repositoryId === id && event.batchId !== null,
    toChange: async ({ cursor, action, queueId, batchId }) => {
      const queue = await readQueue(context, await loadKnownRepository(context, args.repository), args.baseBranch);
      const batch = queue?.id === queueId ? await loadIfAny(context, batchById, batchId) : null;
      return batch && { cursor, action, batch };
    },
  });
}

async function followPullRequest(
  subscribing: SubscriptionRequest<FollowPullRequestArgs>,
): Promise<AsyncIterable<unknown>> {
  const { args, context } = subscribing;
  requireScope(context, 'queue:read');
  const repository = await loadRepository(context, args.repository);
  const number = args.number ?? null;
  const one = number === null ? null : await readPullRequestByNumber(context, repository, { number });
  if (number !== null && one === null) throw notFound('Pull request');
  return await followEvents(subscribing, {
    sharedAs: 'pullRequestChanged',
    matches: ({ repositoryId, pullRequestId }) =>
      one === null ? repositoryId === repository.id && pullRequestId !== null : pullRequestId === one.id,
    toChange: async ({ cursor, action, pullRequestId }) => {
      await requireStillSeen(context, repository.id);
      const pullRequest = await loadIfAny(context, pullRequestById, pullRequestId);
      return pullRequest && { cursor, action, pullRequest };
    },
  });
}
