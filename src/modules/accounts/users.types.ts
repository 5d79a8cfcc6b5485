import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Role } from '../../context.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { roles } from './accounts.types.ts';

@ObjectType({ implements: Node, simpleResolvers: true, description: 'A user of the account.' })
export class User {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'Email address, in lower case.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'Handle on the code host. Null when none is linked.' })
  handle!: string | null;

  @Field(() => roles, { description: 'The role. It limits all tokens and sessions of the user.' })
  role!: Role;

  @Field(() => Boolean, {
    description:
      "Whether the account's tokens act as this user. Exactly one user is the service user, and cannot be removed.",
  })
  isService!: boolean;

  @Field(() => DateTime, { description: 'When the user was added, or was added again after a removal.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the user was removed. Null: the user was not removed.' })
  removedAt!: Date | null;
}

export const UserConnection = connectionType(User, 'User');

@InputType({ description: 'A user to add.' })
export class AddUserInput {
  @Field(() => String, { description: 'Email address.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'Handle on the code host, with or without @.' })
  handle?: string | null;

  @Field(() => roles, { defaultValue: 'member', description: 'The role of the user.' })
  role!: Role;
}

@InputType({ description: 'Changes of a user. Fields that are left out stay unchanged.' })
export class UpdateUserInput {
  @Field(() => ID, { description: 'The user.' })
  id!: string;

  @Field(() => roles, {
    nullable: true,
    description: 'The new role. It limits the existing tokens of the user at once.',
  })
  role?: Role | null;

  @Field(() => String, { nullable: true, description: 'Handle on the code host. Null unlinks the handle.' })
  handle?: string | null;
}

@InputType({ description: 'A user to remove.' })
export class RemoveUserInput {
  @Field(() => ID, { description: 'The user.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of users.' })
export class UserPayload {
  @Field(() => User, { description: 'The user after the change.' })
  user!: User;
}
