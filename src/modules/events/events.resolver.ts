import { Args, Ctx, FieldResolver, Query, Resolver, Root, Subscription } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { eventsTrigger, type FollowedLog } from '../../graphql/event-log-pubsub.ts';
import { FollowArgs, type SubscriptionRequest } from '../../graphql/subscriptions.ts';
import { scopeOfFacts } from '../../domain/events/facts-scope.ts';
import { hasScope, requireScope } from '../accounts/index.ts';
import { maySeeInside } from '../repositories/index.ts';
import { PullRequest } from '../queue/api/pull-requests.types.ts';
import { Repository } from '../repositories/repositories.types.ts';
import { readEventsOf } from './events.pages.ts';
import { Event, EventConnection } from './events.types.ts';
import { payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';

const pageSize = 50;

@Resolver(() => Event)
export class EventsResolver {
  @Query(() => String, {
    description:
      'Cursor of the newest event of the account. A client that follows changes reads this cursor first, then the rows, and then subscribes `after` this cursor. So it misses no change. Needs queue:read.',
  })
  async cursor(@Ctx() ctx: GraphQLContext): Promise<string> {
    requireScope(ctx, 'queue:read');
    return await ctx.events.head(ctx.accountId);
  }

  @Subscription(() => Event, {
    topics: eventsTrigger,
    topicId: ({ args, context }: SubscriptionRequest): FollowedLog => {
      requireScope(context, 'queue:read');
      return {
        events: context.events,
        options: { accountId: context.accountId, after: args.after },
        isSeen: async ({ repositoryId }) => repositoryId === null || (await maySeeInside(context, repositoryId)),
      };
    },
    description: 'All events of the account, in order. Needs queue:read.',
  })
  events(
    @Ctx() ctx: GraphQLContext,
    @Root() event: SubscriptionValue<Event>,
    @Args(() => FollowArgs) _args: FollowArgs,
  ): Event {
    return withReadableFacts(ctx, payloadOf(event));
  }
}

@Resolver(() => Repository)
export class RepositoryEventsResolver {
  @FieldResolver(() => EventConnection, { description: 'The events of the repository, newest first.' })
  async events(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<Event>> {
    return await readEventPage(ctx, { kind: 'repository', id: repository.id }, request);
  }
}

@Resolver(() => PullRequest)
export class PullRequestEventsResolver {
  @FieldResolver(() => EventConnection, {
    description:
      'The events of the pull request, newest first. Events of its batches are not included, because such an event names only the batch. Needs queue:read.',
  })
  async events(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: PullRequest,
    @PageArgs(pageSize) request: PageRequest,
  ): Promise<Connection<Event>> {
    return await readEventPage(ctx, { kind: 'pullRequest', id }, request);
  }
}

async function readEventPage(
  ctx: GraphQLContext,
  subject: Parameters<typeof readEventsOf>[1],
  request: PageRequest,
): Promise<Connection<Event>> {
  const page = readPage(request, { size: pageSize, keyLength: 1 });
  const rows = await readEventsOf(ctx, subject, { size: page.size, before: rowId(page) });
  return toConnection(rows, page.size, { node: (row) => withReadableFacts(ctx, row), key: (row) => [row.position] });
}

/** Every reader of the log sees that an event happened. Its facts are left out if the caller may not read its subject. */
function withReadableFacts(ctx: GraphQLContext, event: Pick<Event, keyof Event>): Event {
  return hasScope(ctx, scopeOfFacts(event)) ? event : { ...event, payload: {} };
}
