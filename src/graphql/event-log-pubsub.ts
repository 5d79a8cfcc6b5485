// The event log as a PubSubEngine of graphql-subscriptions. Nothing is published through it. Subscribers receive the
// events that all processes write to the log, in their order, and can resume after a cursor.
import { PubSubEngine } from 'graphql-subscriptions';
import type { PubSub } from 'type-graphql';
import type { EventHub, EventStream, FollowedEvent, FollowOptions } from '../modules/events/index.ts';
import { mapEvents } from './subscription-payloads.ts';

export const eventsTrigger = 'events';

type Subscriber = (event: FollowedEvent) => void;

export class EventLogPubSub extends PubSubEngine {
  private readonly hub: EventHub;
  private readonly following = new Map<number, EventStream>();
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
    const stream = this.hub.follow(options);
    this.following.set(id, stream);
    await stream.started;
    void forward(stream, onMessage).finally(() => this.following.delete(id));
    return id;
  }

  override unsubscribe(id: number): void {
    void this.following.get(id)?.return?.();
  }

  /**
   * Returns a stream from which the subscriber pulls events, unlike `subscribe`. A subscriber that is too slow gets an
   * error with its cursor instead of more events.
   */
  follow(options: FollowOptions): EventStream {
    return this.hub.follow(options);
  }

  /** Returns the cursor of the newest event of the account. */
  async head(accountId: string): Promise<string> {
    return await this.hub.head(accountId);
  }
}

async function forward(stream: EventStream, onMessage: Subscriber): Promise<void> {
  for await (const event of stream) onMessage(event);
}

/**
 * The `topicId` of a subscription. It has the hub of the server, because all servers of a process share the schema but
 * not their hubs.
 */
export interface FollowedLog {
  readonly events: EventLogPubSub;
  readonly options: FollowOptions;
  /** Whether the subscriber may see an event. */
  readonly isSeen: (event: FollowedEvent) => Promise<boolean>;
}

export const logPubSub: PubSub = {
  publish: () => {
    throw new Error('Events are written in the transaction of their change, by appendEvents.');
  },
  subscribe: (_topic, id) => {
    const { events, options, isSeen } = id as FollowedLog;
    return mapEvents(events.follow(options), async (event) => ((await isSeen(event)) ? event : null));
  },
};
