// The common parts of subscriptions: the argument `after`, changes with cursors, and the error at the end. Each
// subscription adds the permission that it needs, the events that concern it, and its fields.
import 'reflect-metadata';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import { Payloads } from './subscription-payloads.ts';
import type { FollowedEvent } from '../modules/events/index.ts';
import type { GraphQLContext } from './context.ts';
import { createSharedAnswers } from './shared-answers.ts';

@ArgsType()
export class FollowArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the last event that the client has applied. The subscription continues after this event and misses none. Default: only events from now on.',
  })
  after?: string | null;
}

@ObjectType({ simpleResolvers: true })
export abstract class Change {
  @Field(() => String, { description: 'Cursor of the event. To resume the subscription, pass it as `after`.' })
  cursor!: string;
}

@ObjectType({ simpleResolvers: true })
export abstract class ChangeByEvent extends Change {
  @Field(() => String, { description: 'The kind of the event, as in `Event.action`.' })
  action!: string;
}

/** The arguments of `subscribe`. */
export interface SubscriptionRequest<Args extends { readonly after?: string | null } = FollowArgs> {
  readonly args: Args;
  readonly context: GraphQLContext;
}

/**
 * Selects events, and turns an event into the subscription's change. Null: the event does not concern the subscription.
 */
export interface EventSelection<Payload extends object> {
  readonly matches: (event: FollowedEvent) => boolean;
  readonly toChange: (event: FollowedEvent) => Promise<Payload | null>;
  /**
   * The name of the subscription's field. Set it only if `toChange` depends on nothing but the event, the arguments and
   * the rights of the caller. Subscriptions of one caller with the same arguments then share each change. Absent: each
   * subscription makes its own change.
   */
  readonly sharedAs?: string;
  /** Whether a change is sent. Absent: every change is sent. */
  readonly isNews?: (change: Payload) => boolean;
}

const shareChange = createSharedAnswers();

/** Follows events. No event after the promise has resolved is missed. */
export async function followEvents<Payload extends object>(
  { args, context }: SubscriptionRequest,
  { matches, toChange, sharedAs, isNews = () => true }: EventSelection<Payload>,
): Promise<AsyncIterable<unknown>> {
  const stream = context.events.follow({ accountId: context.accountId, after: args.after, matches });
  await stream.started;
  const question = JSON.stringify([sharedAs, args], (key, value: unknown) => (key === 'after' ? undefined : value));
  return new Payloads(stream, {
    make: (event, taker) => {
      const make = async (): Promise<Payload | null> => await toChange(event);
      if (sharedAs === undefined) void make().then(taker.resolve, taker.reject);
      else shareChange({ subject: event, caller: context.loaders, question, make }, taker);
    },
    isNews,
  });
}
