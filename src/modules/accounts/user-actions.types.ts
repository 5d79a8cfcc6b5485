import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { auditEntities, userActionEntities, type AuditEntity } from './user-actions.table.ts';

function enumNamesOf<Name extends string>(names: readonly Name[]): Record<string, Name> {
  return Object.fromEntries(names.map((name) => [name.toUpperCase(), name]));
}

export const userActionEntityNames = enumNamesOf(userActionEntities);
registerEnumType(userActionEntityNames, {
  name: 'UserActionEntity',
  description: 'Kinds of objects that user actions change (interface 4.7).',
});

export const auditEntityNames = enumNamesOf(auditEntities);
registerEnumType(auditEntityNames, {
  name: 'AuditEntity',
  description:
    'Kinds of objects that entries of the audit log are about: those of user actions, and releases, runbooks and previews.',
});

export type UserActionEntity = (typeof userActionEntities)[number];

@ObjectType({
  simpleResolvers: true,
  description: 'What a user did, in a session of a browser or with a user token (interface 2.10).',
})
export class UserAction {
  @Field(() => String, { description: 'The action, such as `user_removed`.' })
  action!: string;

  @Field(() => String, { description: 'Email address of the user who did the action.' })
  actor!: string;

  @Field(() => userActionEntityNames, { description: 'Kind of thing changed.' })
  entity!: UserActionEntity;

  @Field(() => String, {
    nullable: true,
    description: 'What the action changed. Null: the action needs no name of an object.',
  })
  target!: string | null;

  @Field(() => DateTime, { description: 'When the user did the action.' })
  timestamp!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What a user did to any kind of object, in a session of a browser or with a user token.',
})
export class AuditEntry {
  @Field(() => String, { description: 'The action, such as `user_removed`.' })
  action!: string;

  @Field(() => String, { description: 'Email address of the user who did the action.' })
  actor!: string;

  @Field(() => auditEntityNames, { description: 'Kind of thing changed.' })
  entity!: AuditEntity;

  @Field(() => String, {
    nullable: true,
    description: 'What the action changed. Null: the action needs no name of an object.',
  })
  target!: string | null;

  @Field(() => DateTime, { description: 'When the user did the action.' })
  timestamp!: Date;
}

export const UserActionConnection = connectionType(UserAction, 'UserAction');
export const AuditEntryConnection = connectionType(AuditEntry, 'AuditEntry');
