import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, JSONValue, URI } from '../../graphql/scalars.ts';
import { ApiToken } from '../accounts/accounts.types.ts';

const disabledBecause = { ASKED: 'asked', GONE: 'gone', FAILING: 'failing' } as const;
type DisabledBecause = (typeof disabledBecause)[keyof typeof disabledBecause];
registerEnumType(disabledBecause, {
  name: 'WebhookDisabledBecause',
  description: 'Why an endpoint receives no events.',
  valuesConfig: {
    ASKED: { description: 'A user disabled the endpoint.' },
    GONE: { description: 'The endpoint answered 410.' },
    FAILING: { description: 'The endpoint failed for five days without one success.' },
  },
});

const deliveryStates = {
  PENDING: 'pending',
  RETRYING: 'retrying',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
} as const;
type DeliveryState = (typeof deliveryStates)[keyof typeof deliveryStates];
registerEnumType(deliveryStates, {
  name: 'WebhookDeliveryState',
  description: 'The state of a delivery.',
  valuesConfig: {
    PENDING: {
      description:
        'The delivery is being sent, or waits for an earlier delivery about the same subject, such as a pull request.',
    },
    RETRYING: { description: 'The last attempt failed, and the delivery waits for the next attempt.' },
    SUCCEEDED: { description: 'The endpoint answered with a status from 200 to 299.' },
    FAILED: { description: 'The last permitted attempt failed.' },
    CANCELED: { description: 'The endpoint was disabled before the delivery arrived.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'An address that receives events (interface 6).',
})
export class WebhookEndpoint {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => URI, { description: 'The address to which the webhooks are sent.' })
  url!: string;

  @Field(() => [String], {
    description: 'The actions that the endpoint receives. `*` alone means all present and future actions.',
  })
  actions!: readonly string[];

  @Field(() => Boolean, { description: 'Whether the endpoint receives webhooks.' })
  enabled!: boolean;

  @Field(() => disabledBecause, {
    nullable: true,
    description: 'Why the endpoint receives no events. Null: it is enabled.',
  })
  disabledBecause!: DisabledBecause | null;

  @Field(() => DateTime, { nullable: true, description: 'When the endpoint was disabled. Null: it is enabled.' })
  disabledAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the first attempt after the last success failed. Null: no attempt has failed since the last success.',
  })
  failingSince!: Date | null;

  @Field(() => Boolean, {
    description: "Whether the webhooks are signed with a secret of the endpoint, in the place of the account's token.",
  })
  hasOwnSecret!: boolean;

  @Field(() => DateTime, { description: 'When the endpoint was made.' })
  createdAt!: Date;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'One webhook for one endpoint, with its attempts.',
})
export class WebhookDelivery {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, {
    description: 'The id that the receiver gets in `X-Service-Delivery`. It is the same in every attempt.',
  })
  messageId!: string;

  @Field(() => String, { description: 'The action of the event, or `ping`.' })
  action!: string;

  @Field(() => deliveryStates, { description: 'The state of the delivery.' })
  state!: DeliveryState;

  @Field(() => String, { description: 'The exact body.' })
  body!: string;

  @Field(() => Int, { description: 'How many attempts have started so far.' })
  attemptCount!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next attempt starts. Null unless the state is RETRYING.',
  })
  nextAttemptAt!: Date | null;

  @Field(() => DateTime, { description: 'When the delivery was made.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the delivery succeeded, failed or was canceled. Null: it has not ended.',
  })
  endedAt!: Date | null;

  endpointId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One attempt to send a delivery.' })
export class WebhookAttempt {
  @Field(() => Int, { description: 'The number of the attempt, from 1: `X-Service-Attempt`.' })
  number!: number;

  @Field(() => DateTime, { description: 'When the attempt began.' })
  startedAt!: Date;

  @Field(() => Int, {
    nullable: true,
    description: 'The duration in milliseconds. Null: the attempt runs, or its process was killed.',
  })
  durationMs!: number | null;

  @Field(() => JSONValue, { nullable: true, description: 'The headers that were sent. Null if the duration is null.' })
  requestHeaders!: unknown;

  @Field(() => Int, { nullable: true, description: 'The status of the answer. Null: there was no answer.' })
  responseStatus!: number | null;

  @Field(() => JSONValue, { nullable: true, description: 'The headers of the answer. Null: there was no answer.' })
  responseHeaders!: unknown;

  @Field(() => String, {
    nullable: true,
    description: 'The beginning of the answer, at most 16 KiB. Null: there was no answer.',
  })
  responseBody!: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer. Null: there was an answer.' })
  error!: string | null;
}

export const WebhookEndpointConnection = connectionType(WebhookEndpoint, 'WebhookEndpoint');
export const WebhookDeliveryConnection = connectionType(WebhookDelivery, 'WebhookDelivery');

@ObjectType({ simpleResolvers: true, description: "Which tokens sign the account's webhooks (interface 5)." })
export class WebhookSigningTokens {
  @Field(() => ApiToken, { description: 'The token that signs `X-Service-Signature-SHA256`.' })
  current!: ApiToken;

  @Field(() => ApiToken, {
    nullable: true,
    description:
      'The token that signs the header with `-Next`, and will be the current token. Null: no rotation is under way.',
  })
  next!: ApiToken | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next token becomes the current one without a request. Null: there is no next token.',
  })
  promoteAt!: Date | null;

  @Field(() => ApiToken, {
    nullable: true,
    description:
      'The token that was the current one before, and signs the header with `-Previous`. Null: there is none.',
  })
  previous!: ApiToken | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the previous token signs. Null: there is no previous token.',
  })
  previousUntil!: Date | null;
}

@InputType({ description: 'An endpoint to create.' })
export class CreateWebhookEndpointInput {
  @Field(() => URI, { description: 'The address: http or https, without user name, password and fragment.' })
  url!: string;

  @Field(() => [String], {
    description: 'The actions that the endpoint receives, by name, or `*` alone for all actions.',
  })
  actions!: string[];

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      "True: webhooks are signed with a secret of the endpoint, which is returned once, and not with the account's token. The whole text, `whsec_` included, keys `X-Service-Signature-SHA256`. The Base64-decoded bytes after `whsec_` key `webhook-signature`, as in Standard Webhooks.",
  })
  ownSecret!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createWebhookEndpoint`.' })
export class CreateWebhookEndpointPayload {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  webhookEndpoint!: WebhookEndpoint;

  @Field(() => String, {
    nullable: true,
    description:
      "The endpoint's own secret, shown only now. Null: the account's token signs. The whole text, `whsec_` included, keys `X-Service-Signature-SHA256`. The Base64-decoded bytes after `whsec_` key `webhook-signature`, as in Standard Webhooks.",
  })
  secret!: string | null;
}

@InputType({ description: 'Changes of an endpoint. Fields that are left out stay unchanged.' })
export class UpdateWebhookEndpointInput {
  @Field(() => ID, { description: 'The endpoint.' })
  id!: string;

  @Field(() => URI, { nullable: true, description: 'The new address.' })
  url?: string | null;

  @Field(() => [String], { nullable: true, description: 'The actions that replace the present actions.' })
  actions?: string[] | null;
}

@InputType({ description: 'Names an endpoint.' })
export class WebhookEndpointInput {
  @Field(() => ID, { description: 'The endpoint.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of webhook endpoints.' })
export class WebhookEndpointPayload {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  webhookEndpoint!: WebhookEndpoint;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `rotateWebhookEndpointSecret`.' })
export class RotateWebhookEndpointSecretPayload {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  webhookEndpoint!: WebhookEndpoint;

  @Field(() => String, {
    description:
      'The new secret, shown only now. The whole text, `whsec_` included, keys `X-Service-Signature-SHA256`. The Base64-decoded bytes after `whsec_` key `webhook-signature`, as in Standard Webhooks.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `deleteWebhookEndpoint`.' })
export class DeleteWebhookEndpointPayload {
  @Field(() => ID, { description: 'The id of the deleted endpoint.' })
  deletedId!: string;
}

@InputType({ description: 'A delivery to send again.' })
export class RedeliverWebhookInput {
  @Field(() => ID, { description: 'The delivery.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `pingWebhookEndpoint` and `redeliverWebhook`.' })
export class WebhookDeliveryPayload {
  @Field(() => WebhookDelivery, { description: 'The delivery.' })
  webhookDelivery!: WebhookDelivery;
}

@InputType({ description: 'The token that signs webhooks next.' })
export class RotateWebhookSigningInput {
  @Field(() => ID, { description: 'An account token that is not revoked and does not sign yet.' })
  token!: string;
}

@InputType({ description: 'The token that signs webhooks from now on.' })
export class PromoteWebhookSigningInput {
  @Field(() => ID, { description: 'The token that was named to sign next. Any other token is refused with CONFLICT.' })
  token!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of the signing of webhooks.' })
export class WebhookSigningPayload {
  @Field(() => WebhookSigningTokens, { description: 'The tokens that sign.' })
  webhookSigning!: WebhookSigningTokens;
}
