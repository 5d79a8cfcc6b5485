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
  description: 'How news reaches people in Slack.',
  valuesConfig: {
    CHANNEL: { description: 'One message about each subject in a channel, which is edited as things change.' },
    PEOPLE: {
      description:
        'Direct messages to the author of a pull request and the user who queued it when it is blocked or has landed, and to the user who asked for a deployment when the deployment has ended.',
    },
    WEBHOOK: {
      description: 'A message for each result and each freeze, by an incoming webhook, which needs no token.',
    },
  },
});

@ObjectType({ implements: Node, simpleResolvers: true, description: 'Where news of the account goes in Slack.' })
export class SlackDestination {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => kinds, { description: 'How it reaches people.' })
  kind!: SlackDestinationKind;

  @Field(() => String, { nullable: true, description: 'The channel, as it was named. Null unless it is one.' })
  channel!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The repository that it hears of, as `owner/name`. Null: all repositories of the account.',
  })
  repository!: string | null;

  @Field(() => String, { description: 'Email address of the user who made it.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was made. It hears of what happened since.' })
  createdAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Why a message did not reach it, with the cure. Null: no message waits because of a failure.',
  })
  problem!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What the account has set up for its Slack workspace.' })
export class Slack {
  @Field(() => Boolean, { description: 'Whether the account has a bot token. It is never shown.' })
  hasToken!: boolean;

  @Field(() => [SlackDestination], { description: 'Where news goes, oldest first. At most 100.' })
  destinations!: readonly SlackDestination[];
}

@InputType({ description: 'The bot token of a Slack app.' })
export class SetSlackTokenInput {
  @Field(() => String, {
    nullable: true,
    description:
      'Begins with `xoxb-`. It is stored sealed. Null forgets the token: destinations stay, and only incoming webhooks get messages.',
  })
  token?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `setSlackToken`.' })
export class SlackPayload {
  @Field(() => Slack, { description: 'What the account has now.' })
  slack!: Slack;
}

@InputType({ description: 'A new destination of news.' })
export class CreateSlackDestinationInput {
  @Field(() => kinds, { description: 'How it reaches people.' })
  kind!: SlackDestinationKind;

  @Field(() => String, {
    nullable: true,
    description: 'Id or name of the channel. Required for the kind `CHANNEL`, and only for that kind.',
  })
  channel?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Address of the incoming webhook, which is stored sealed and never shown. Required for the kind `WEBHOOK`, and only for that kind.',
  })
  url?: string | null;

  @Field(() => RepositoryInput, {
    nullable: true,
    description: 'The repository that it hears of. Left out: all repositories of the account.',
  })
  repository?: RepositoryInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createSlackDestination`.' })
export class CreateSlackDestinationPayload {
  @Field(() => SlackDestination, { description: 'The destination, which may have been there before.' })
  slackDestination!: SlackDestination;
}

@InputType({ description: 'A destination to delete.' })
export class DeleteSlackDestinationInput {
  @Field(() => ID, { description: 'The destination.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `deleteSlackDestination`.' })
export class DeleteSlackDestinationPayload {
  @Field(() => ID, { description: 'The id it had.' })
  deletedId!: string;
}
