import { Arg, Ctx, FieldResolver, Int, Resolver, Root, Subscription } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import { readPage, toConnection, type Connection } from '../../graphql/connection.ts';
import { loaderOf, type GraphQLContext } from '../../graphql/context.ts';
import { eventsTrigger, mapEvents, SubscriptionFailure, type Following } from '../../graphql/event-log-pubsub.ts';
import { PullRequestNumber } from '../../graphql/scalars.ts';
import { requireScope } from '../accounts/index.ts';
import { pullRequestById, readPullRequestByNumber } from '../queue/pull-requests.reads.ts';
import { PullRequest } from '../queue/pull-requests.types.ts';
import { readQueue, readQueueDepth } from '../queue/queue.reads.ts';
import type { QueueDepth } from '../queue/queue.types.ts';
import { loadRepository, type RepositoryName } from '../repositories/index.ts';
import { Repository, RepositoryInput } from '../repositories/repositories.types.ts';
import { readEventsOf } from './events.pages.ts';
import { Event, EventConnection, PullRequestChange, QueueChange, QueueDepthChange } from './events.types.ts';
import type { FollowedEvent } from './index.ts';

const afterDescription = 'Cursor of the last event that was applied: nothing after it is missed. Without it the subscription begins now.';

interface Subscribing<Args> {
  readonly args: Args & { readonly after?: string | null };
  readonly context: GraphQLContext;
}

@Resolver(() => Event)
export class EventsResolver {
  @FieldResolver(() => PullRequest, { nullable: true, description: 'The pull request it is about. Null when it is about none.' })
  async pullRequest(@Ctx() ctx: GraphQLContext, @Root() { pullRequestId }: Event): Promise<PullRequest | null> {
    return pullRequestId === null ? null : await loaderOf(ctx, pullRequestById).load(pullRequestId);
  }

  @Subscription(() => Event, {
    topics: eventsTrigger,
    topicId: ({ args, context }: Subscribing<object>): Following => {
      requireScope(context, 'queue:read');
      return { events: context.events, options: { accountId: context.accountId, after: args.after } };
    },
    description: 'Everything that happens in the account, in order. Needs queue:read.',
  })
  events(
    @Root() event: Event | SubscriptionFailure,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after: string | null,
  ): Event {
    return told(event);
  }

  @Subscription(() => QueueDepthChange, {
    subscribe: followDepth,
    description: 'The depth of a repository\'s queues, each time it changed. Needs queue:read.',
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

@Resolver(() => Repository)
export class RepositoryEventsResolver {
  @FieldResolver(() => EventConnection, { description: 'What happened in it, newest first.' })
  async events(
    @Ctx() ctx: GraphQLContext, @Root() repository: Repository,
    @Arg('first', () => Int, { nullable: true, description: 'Size of a page, 50 if not given, at most 100.' }) first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'Cursor of the connection to go on from.' }) after: string | null,
  ): Promise<Connection<Event>> {
    const page = readPage({ first, after }, { size: 50, keyLength: 1 });
    const before = page.after === null ? null : Number(page.after[0]);
    const rows = await readEventsOf(ctx, repository.id, { size: page.size, before });
    return toConnection(rows, page.size, { node: (row): Event => row, key: (row) => [row.position] });
  }
}

function told<Change extends object>(change: Change | SubscriptionFailure): Change {
  if (change instanceof SubscriptionFailure) throw change.error;
  return change;
}

async function followDepth({ args, context }: Subscribing<{ repository: RepositoryName }>): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  const follower = context.events.follow({ accountId: context.accountId, after: args.after, matches: (event) => event.repositoryId === id });
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

async function followQueue({ args, context }: Subscribing<{ repository: RepositoryName; baseBranch: string }>): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'queue:read');
  const { id } = await loadRepository(context, args.repository);
  // An event of the repository alone, such as a pause, concerns all of its queues.
  const follower = context.events.follow({ accountId: context.accountId, after: args.after, matches: (event) => event.repositoryId === id });
  await follower.started;
  return mapEvents(follower, async (event) => {
    const queue = await readQueue(context, await loadRepository(context, args.repository), args.baseBranch);
    if (queue === null || (event.queueId !== null && event.queueId !== queue.id)) return null;
    return { cursor: event.cursor, action: event.action, queue };
  });
}

async function followPullRequest({ args, context }: Subscribing<{ repository: RepositoryName; number: number }>): Promise<AsyncIterable<unknown>> {
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
