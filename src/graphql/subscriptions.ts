// What every subscription has: the argument `after`, changes with cursors, and a word for what ended it. A subscription
// of an area says who may follow, which events concern it, and what of them it shows.
import 'reflect-metadata';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import type { FollowedEvent } from '../modules/events/index.ts';
import type { GraphQLContext } from './context.ts';

@ArgsType()
export class FollowArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the last event that was applied: nothing after it is missed. Without it the subscription begins now.',
  })
  after?: string | null;
}

@ObjectType({ simpleResolvers: true })
export abstract class Change {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;
}

@ObjectType({ simpleResolvers: true })
export abstract class ChangeByEvent extends Change {
  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;
}

/** What `subscribe` of a subscription is handed. */
export interface Subscribing<Args extends { readonly after?: string | null } = FollowArgs> {
  readonly args: Args;
  readonly context: GraphQLContext;
}

/** Which events concern a subscription, and the change that each is told as; null passes one over. */
export interface Following<Payload extends object> {
  readonly matches: (event: FollowedEvent) => boolean;
  readonly toChange: (event: FollowedEvent) => Promise<Payload | null>;
}

/** What happens after the promise is resolved is not missed. */
export async function followEvents<Payload extends object>(
  { args, context }: Subscribing,
  { matches, toChange }: Following<Payload>,
): Promise<AsyncIterable<unknown>> {
  const follower = context.events.follow({ accountId: context.accountId, after: args.after, matches });
  await follower.started;
  return mapEvents(follower, toChange);
}

/** The last thing a subscription says when it cannot go on: its resolver throws the error. */
export class SubscriptionFailure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** What the resolver of a subscription is handed. */
export type Told<Payload extends object> = Payload | SubscriptionFailure;

/** The payload. Throws the error that ended the subscription. */
export function told<Payload extends object>(payload: Told<Payload>): Payload {
  if (payload instanceof SubscriptionFailure) throw payload.error;
  return payload;
}

/**
 * Events, or what else comes one by one, as payloads; null passes one over. Not an async generator: those answer
 * `return` only after the next event, and a subscription that nobody reads any more would wait for one.
 */
export function mapEvents<Event, Payload extends object>(
  follower: AsyncIterableIterator<Event>,
  toPayload: (event: Event) => Promise<Payload | null>,
): AsyncIterableIterator<Told<Payload>> {
  let hasFailed = false;
  const next = async (): Promise<IteratorResult<Told<Payload>>> => {
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
