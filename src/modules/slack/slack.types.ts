import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { SlackDestinationKind } from '../../domain/slack/destinations.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

const kinds = { CHANNEL: 'channel', PEOPLE: 'people', WEBHOOK: 'webhook' } as const satisfies Record<
  Uppercase<SlackDestinationKind>,
  SlackDestinationKind
>;
registerEnumType(kinds, {
  name: 'SlackDestinationKind',
  description: 'The kind of a destination in Slack.',
  valuesConfig: {
    CHANNEL: {
      description: 'A channel with one message about each subject. The message is edited when the subject changes.',
    },
    PEOPLE: {
      description:
        'Direct messages. When a pull request is blocked or has landed, its author and the user who queued it receive one. When a deployment has ended, the user who requested it receives one.',
    },
    WEBHOOK: {
      description: 'A message for each result and each freeze, by an incoming webhook, which needs no token.',
    },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A destination in Slack for messages about the account.',
})
export class SlackDestination {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => kinds, { description: 'How the destination reaches people.' })
  kind!: SlackDestinationKind;

  @Field(() => String, {
    nullable: true,
    description: 'The id or name of the channel, as it was given. Null unless the kind is CHANNEL.',
  })
  channel!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The repository whose messages the destination receives, as `owner/name`. Null: all repositories of the account.',
  })
  repository!: string | null;

  @Field(() => String, { description: 'Email address of the user who made the destination.' })
  createdBy!: string;

  @Field(() => DateTime, {
    description: 'When the destination was created. It receives messages about everything since then.',
  })
  createdAt!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Why a message did not reach the destination, and what to do about this. Null: no message waits because of a failure.',
  })
  problem!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The Slack settings of the account.' })
export class Slack {
  @Field(() => Boolean, { description: 'Whether the account has a bot token. The token is never shown.' })
  hasToken!: boolean;

  @Field(() => [SlackDestination], { description: 'The destinations of messages, oldest first, at most 100.' })
  destinations!: readonly SlackDestination[];
}

@InputType({ description: 'The bot token of a Slack app.' })
export class SetSlackTokenInput {
  @Field(() => String, {
    nullable: true,
    description:
      'The token, which begins with `xoxb-`. The token is stored encrypted. Null removes the token. Destinations then stay, but only incoming webhooks receive messages.',
  })
  token?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `setSlackToken`.' })
export class SlackPayload {
  @Field(() => Slack, { description: 'The settings after the change.' })
  slack!: Slack;
}

@InputType({ description: 'A destination to create.' })
export class CreateSlackDestinationInput {
  @Field(() => kinds, { description: 'How the destination reaches people.' })
  kind!: SlackDestinationKind;

  @Field(() => String, {
    nullable: true,
    description: 'Id or name of the channel. Required for the kind `CHANNEL`, and only for that kind.',
  })
  channel?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Address of the incoming webhook, which is stored encrypted and never shown. Required for the kind `WEBHOOK`, and only for that kind.',
  })
  url?: string | null;

  @Field(() => RepositoryInput, {
    nullable: true,
    description: 'The repository whose messages the destination receives. Left out: all repositories of the account.',
  })
  repository?: RepositoryInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createSlackDestination`.' })
export class CreateSlackDestinationPayload {
  @Field(() => SlackDestination, { description: 'The new destination, or the same destination if it existed already.' })
  slackDestination!: SlackDestination;
}

@InputType({ description: 'A destination to delete.' })
export class DeleteSlackDestinationInput {
  @Field(() => ID, { description: 'The destination.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `deleteSlackDestination`.' })
export class DeleteSlackDestinationPayload {
  @Field(() => ID, { description: 'The id of the deleted destination.' })
  deletedId!: string;
}
