import { Field, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { mapEvents, payloadOf, type SubscriptionValue } from '../../graphql/subscription-payloads.ts';
import type { SubscriptionRequest } from '../../graphql/subscriptions.ts';
import { requireScope } from '../accounts/index.ts';
import { readDelivery } from './webhooks.reads.ts';
import { WebhookDelivery } from './webhooks.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A change of webhook deliveries.' })
class WebhookDeliveryChange {
  @Field(() => WebhookDelivery, {
    nullable: true,
    description:
      'The delivery after a change: it was created, was sent or ended. Null: any delivery may have changed, so read all deliveries again. The first message is null, and so is a message after more changes than could be sent.',
  })
  webhookDelivery!: WebhookDelivery | null;
}

@Resolver(() => WebhookDelivery)
export class WebhookChangesResolver {
  @Subscription(() => WebhookDeliveryChange, {
    subscribe: followDeliveries,
    description:
      "Each change of the account's webhook deliveries. Several changes of a delivery may be one message. There is no cursor. A client that reads the deliveries after the first message misses no change. Needs admin.",
  })
  webhookDeliveryChanged(@Root() change: SubscriptionValue<WebhookDeliveryChange>): WebhookDeliveryChange {
    return payloadOf(change);
  }
}

async function followDeliveries({ context }: SubscriptionRequest): Promise<AsyncIterable<unknown>> {
  requireScope(context, 'admin');
  return await Promise.resolve(
    mapEvents(context.deliveries.follow(context.accountId), async (id): Promise<WebhookDeliveryChange | null> => {
      if (id === null) return { webhookDelivery: null };
      const webhookDelivery = await readDelivery(context, id);
      // Null: the endpoint of the delivery was deleted in the meantime.
      return webhookDelivery && { webhookDelivery };
    }),
  );
}
