import { Field, ObjectType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime, JSONValue } from '../../graphql/scalars.ts';

@ObjectType({
  simpleResolvers: true,
  description:
    'A change of state. Events of one subject, such as a pull request, are in the order in which they happened.',
})
export class Event {
  @Field(() => String, {
    description:
      "The event's position in the account's log. A subscription `after` this cursor begins with the next event.",
  })
  cursor!: string;

  @Field(() => String, {
    description:
      'What happened: an action that webhooks also have (interface 6.2 to 6.4, 6.6), or an action that only the event log has.',
  })
  action!: string;

  @Field(() => DateTime, { description: 'When the event happened.' })
  at!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Who caused the event: the email address of a user, the handle of a person at the code host who is not a user, or `interlock`. Null: unknown.',
  })
  actor!: string | null;

  @Field(() => JSONValue, {
    description:
      "The event's other facts. Its keys depend on the action. Empty if the caller may not read what the event is about: a configuration, users and their rights need config:read, releases release:read, runbooks runbook:write, and tokens, webhooks and settings of previews admin.",
  })
  payload!: unknown;

  repositoryId!: string | null;
  queueId!: string | null;
  pullRequestId!: string | null;
  batchId!: string | null;
  candidateId!: string | null;
  environmentId!: string | null;
  deploymentId!: string | null;
  runbookId!: string | null;
  verificationId!: string | null;
  registrationId!: string | null;
}

export const EventConnection = connectionType(Event, 'Event');
