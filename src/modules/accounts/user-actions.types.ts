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

@ObjectType({ simpleResolvers: true, description: 'What a user did from the dashboard (interface 2.10).' })
export class UserAction {
  @Field(() => String, { description: 'What was done, such as `user_removed`.' })
  action!: string;

  @Field(() => String, { description: 'Email address of the user who did it.' })
  actor!: string;

  @Field(() => userActionEntityNames, { description: 'Kind of thing changed.' })
  entity!: UserActionEntity;

  @Field(() => String, { nullable: true, description: 'The thing it was done to. Null: there is nothing to name.' })
  target!: string | null;

  @Field(() => DateTime, { description: 'When it was done.' })
  timestamp!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'What a user did from the dashboard, about any kind of object.' })
export class AuditEntry {
  @Field(() => String, { description: 'What was done, such as `user_removed`.' })
  action!: string;

  @Field(() => String, { description: 'Email address of the user who did it.' })
  actor!: string;

  @Field(() => auditEntityNames, { description: 'Kind of thing changed.' })
  entity!: AuditEntity;

  @Field(() => String, { nullable: true, description: 'The thing it was done to. Null: there is nothing to name.' })
  target!: string | null;

  @Field(() => DateTime, { description: 'When it was done.' })
  timestamp!: Date;
}

export const UserActionConnection = connectionType(UserAction, 'UserAction');
export const AuditEntryConnection = connectionType(AuditEntry, 'AuditEntry');
