// The event log as a PubSubEngine of graphql-subscriptions. Nothing is published through it: what any process writes
// to the log is what its subscribers get, in order and resumable.
import { PubSubEngine } from 'graphql-subscriptions';
import type { PubSub } from 'type-graphql';
import type { GraphQLContext } from './context.ts';
import type { EventHub, EventFollower, FollowedEvent, FollowOptions } from '../modules/events/index.ts';

export const eventsTrigger = 'events';

/** Of the argument every subscription has. */
export const afterDescription =
  'Cursor of the last event that was applied: nothing after it is missed. Without it the subscription begins now.';

export interface Subscribing<Args> {
  readonly args: Args & { readonly after?: string | null };
  readonly context: GraphQLContext;
}

type Subscriber = (event: FollowedEvent) => void;

export class EventLogPubSub extends PubSubEngine {
  private readonly hub: EventHub;
  private readonly following = new Map<number, EventFollower>();
  private lastId = 0;

  constructor(hub: EventHub) {
    super();
    this.hub = hub;
  }

  override async publish(): Promise<void> {
    throw new Error('Events are written in the transaction of their change, by appendEvents.');
  }

  override async subscribe(_trigger: string, onMessage: Subscriber, options: FollowOptions): Promise<number> {
    const id = (this.lastId += 1);
    const follower = this.hub.follow(options);
    this.following.set(id, follower);
    await follower.started;
    void forward(follower, onMessage).finally(() => this.following.delete(id));
    return id;
  }

  override unsubscribe(id: number): void {
    void this.following.get(id)?.return?.();
  }

  /** Pulled from, unlike `subscribe`: a slow reader is told where it stood instead of being sent ever more. */
  follow(options: FollowOptions): EventFollower {
    return this.hub.follow(options);
  }
}

async function forward(follower: EventFollower, onMessage: Subscriber): Promise<void> {
  for await (const event of follower) onMessage(event);
}

/** What `topicId` of a subscription by topic has to give: the schema is shared by all servers of a process, their hubs are not. */
export interface Following {
  readonly events: EventLogPubSub;
  readonly options: FollowOptions;
}

export const logPubSub: PubSub = {
  publish: () => {
    throw new Error('Events are written in the transaction of their change, by appendEvents.');
  },
  subscribe: (_topic, id) => {
    const { events, options } = id as Following;
    return mapEvents(events.follow(options), async (event) => event);
  },
};

/** The last thing a subscription says when it cannot go on: its resolver throws the error. */
export class SubscriptionFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** The payload, or the error that ended the subscription. */
export function told<Change extends object>(change: Change | SubscriptionFailure): Change {
  if (change instanceof SubscriptionFailure) throw change.error;
  return change;
}

/**
 * Events, or what else comes one by one, as payloads; null passes one over. Not an async generator: those answer `return` only after the next event,
 * and a subscription that nobody reads any more would wait for one.
 */
export function mapEvents<Told, Payload extends object>(
  follower: AsyncIterableIterator<Told>,
  toPayload: (event: Told) => Promise<Payload | null>,
): AsyncIterableIterator<Payload | SubscriptionFailure> {
  let hasFailed = false;
  const next = async (): Promise<IteratorResult<Payload | SubscriptionFailure>> => {
    if (hasFailed) return { value: undefined, done: true };
    try {
      for (;;) {
        const result = await follower.next();
        if (result.done) return { value: undefined, done: true };
        const payload = await toPayload(result.value);
        if (payload !== null) return { value: payload, done: false };
      }
    } catch (error) {
      hasFailed = true;
      void follower.return?.();
      return { value: new SubscriptionFailure(error), done: false };
    }
  };
  return {
    next,
    return: async () => {
      await follower.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
