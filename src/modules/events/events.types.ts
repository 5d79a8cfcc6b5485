import { Field, ObjectType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime, JSONValue } from '../../graphql/scalars.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'Something that changed. Events of one subject come in the order in which they happened.',
})
export class Event {
  @Field(() => String, {
    description: "Its place in the account's log: following `after` it resumes with the next one.",
  })
  cursor!: string;

  @Field(() => String, {
    description: 'What happened: an action of webhooks (interface 6.2 to 6.4, 6.6), or one of our own.',
  })
  action!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Email address of the user who did it, the handle of a person of the code host who is no user, `interlock` for the service itself. Null when unknown.',
  })
  actor!: string | null;

  @Field(() => JSONValue, { description: "The event's other facts. Its keys depend on the action." })
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
