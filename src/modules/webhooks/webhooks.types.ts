import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, JSONValue, URI } from '../../graphql/scalars.ts';
import { ApiToken } from '../accounts/accounts.types.ts';

const disabledBecause = { ASKED: 'asked', GONE: 'gone', FAILING: 'failing' } as const;
type DisabledBecause = (typeof disabledBecause)[keyof typeof disabledBecause];
registerEnumType(disabledBecause, {
  name: 'WebhookDisabledBecause',
  description: 'Why an endpoint gets no events.',
  valuesConfig: {
    ASKED: { description: 'Somebody disabled it.' },
    GONE: { description: 'It answered 410.' },
    FAILING: { description: 'It failed for five days without one success.' },
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
  description: 'How far a delivery is.',
  valuesConfig: {
    PENDING: { description: 'It is sent now, or as soon as one before it about the same pull request was.' },
    RETRYING: { description: 'It failed and waits for its next attempt.' },
    SUCCEEDED: { description: 'It was answered with a status from 200 to 299.' },
    FAILED: { description: 'It failed for the last time.' },
    CANCELED: { description: 'Its endpoint was disabled before it arrived.' },
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

  @Field(() => URI, { description: 'Where its webhooks are sent.' })
  url!: string;

  @Field(() => [String], { description: 'Actions it receives. `*` alone means all present and future ones.' })
  actions!: readonly string[];

  @Field(() => Boolean, { description: 'Whether it gets anything.' })
  enabled!: boolean;

  @Field(() => disabledBecause, { nullable: true, description: 'Why it gets no events. Null while it is enabled.' })
  disabledBecause!: DisabledBecause | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was disabled. Null while it is enabled.' })
  disabledAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'First failed attempt since its last success. Null while the last one succeeded.',
  })
  failingSince!: Date | null;

  @Field(() => Boolean, { description: "Whether a secret of its own signs, in place of the account's token." })
  hasOwnSecret!: boolean;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: 'One webhook on its way to one endpoint.' })
export class WebhookDelivery {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The id for receivers: `X-Service-Delivery`, the same in every attempt.' })
  messageId!: string;

  @Field(() => String, { description: 'The action of its event, or `ping`.' })
  action!: string;

  @Field(() => deliveryStates, { description: 'How far it is.' })
  state!: DeliveryState;

  @Field(() => String, { description: 'The body, byte for byte.' })
  body!: string;

  @Field(() => Int, { description: 'Attempts started so far.' })
  attemptCount!: number;

  @Field(() => DateTime, { nullable: true, description: 'When it is tried again. Null unless it is retrying.' })
  nextAttemptAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it succeeded, failed or was canceled. Null before.' })
  endedAt!: Date | null;

  endpointId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One time a delivery was sent.' })
export class WebhookAttempt {
  @Field(() => Int, { description: 'Counted from 1: `X-Service-Attempt`.' })
  number!: number;

  @Field(() => DateTime, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds until its end. Null while it runs, and for good if its sender was killed.',
  })
  durationMs!: number | null;

  @Field(() => JSONValue, { nullable: true, description: 'Headers that were sent. Null like its duration.' })
  requestHeaders!: unknown;

  @Field(() => Int, { nullable: true, description: 'Status of the answer. Null without one.' })
  responseStatus!: number | null;

  @Field(() => JSONValue, { nullable: true, description: 'Headers of the answer. Null without one.' })
  responseHeaders!: unknown;

  @Field(() => String, { nullable: true, description: 'Beginning of the answer, 16 KiB at most. Null without one.' })
  responseBody!: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer. Null when there was one.' })
  error!: string | null;
}

export const WebhookEndpointConnection = connectionType(WebhookEndpoint, 'WebhookEndpoint');
export const WebhookDeliveryConnection = connectionType(WebhookDelivery, 'WebhookDelivery');

@ObjectType({ simpleResolvers: true, description: "Which tokens sign the account's webhooks (interface 5)." })
export class WebhookSigningTokens {
  @Field(() => ApiToken, { description: 'Signs `X-Service-Signature-SHA256`.' })
  current!: ApiToken;

  @Field(() => ApiToken, { nullable: true, description: 'Signs the header with `-Next`: the current one soon.' })
  next!: ApiToken | null;

  @Field(() => DateTime, { nullable: true, description: 'When the next one is promoted by itself.' })
  promoteAt!: Date | null;

  @Field(() => ApiToken, { nullable: true, description: 'Signs the header with `-Previous`: the current one before.' })
  previous!: ApiToken | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when the previous one signs.' })
  previousUntil!: Date | null;
}

@InputType({ description: 'An endpoint to make.' })
export class CreateWebhookEndpointInput {
  @Field(() => URI, { description: 'Where to send: http or https, without user name, password and fragment.' })
  url!: string;

  @Field(() => [String], { description: 'Actions to send, by name, or `*` alone for all.' })
  actions!: string[];

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      "True: signed with the endpoint's own secret, which is answered once, instead of the account's token. The whole text, `whsec_` included, keys `X-Service-Signature-SHA256`. The Base64-decoded bytes after `whsec_` key `webhook-signature`, as in Standard Webhooks.",
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
      "The endpoint's own secret, shown only now. Null when the account's token signs. The whole text, `whsec_` included, keys `X-Service-Signature-SHA256`. The Base64-decoded bytes after `whsec_` key `webhook-signature`, as in Standard Webhooks.",
  })
  secret!: string | null;
}

@InputType({ description: 'A change of an endpoint. What is left out stays.' })
export class UpdateWebhookEndpointInput {
  @Field(() => ID, { description: 'The endpoint.' })
  id!: string;

  @Field(() => URI, { nullable: true, description: 'Where to send from now on.' })
  url?: string | null;

  @Field(() => [String], { nullable: true, description: 'Actions to send, in place of the present ones.' })
  actions?: string[] | null;
}

@InputType({ description: 'Names an endpoint.' })
export class WebhookEndpointInput {
  @Field(() => ID, { description: 'The endpoint.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An endpoint after a change.' })
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
  @Field(() => ID, { description: 'The endpoint that was.' })
  deletedId!: string;
}

@InputType({ description: 'A delivery to send again.' })
export class RedeliverWebhookInput {
  @Field(() => ID, { description: 'The delivery.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A delivery that is on its way.' })
export class WebhookDeliveryPayload {
  @Field(() => WebhookDelivery, { description: 'The delivery.' })
  webhookDelivery!: WebhookDelivery;
}

@InputType({ description: 'Names the token that will sign.' })
export class RotateWebhookSigningInput {
  @Field(() => ID, { description: 'An account token that is not revoked and does not sign yet.' })
  token!: string;
}

@InputType({ description: 'Names the token that signs from now on.' })
export class PromoteWebhookSigningInput {
  @Field(() => ID, { description: 'The token that was named to sign next; another one is a conflict.' })
  token!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Which tokens sign after a change.' })
export class WebhookSigningPayload {
  @Field(() => WebhookSigningTokens, { description: 'The tokens that sign.' })
  webhookSigning!: WebhookSigningTokens;
}
