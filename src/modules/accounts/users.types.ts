import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Role } from '../../context.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { roles } from './accounts.types.ts';

@ObjectType({ implements: Node, simpleResolvers: true, description: 'Somebody of the account.' })
export class User {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'Email address, in lower case.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'Handle on the code host. Null when none is linked.' })
  handle!: string | null;

  @Field(() => roles, { description: 'What the user may do, with any token.' })
  role!: Role;

  @Field(() => Boolean, { description: "Whether the account's tokens act as it. One user is; it cannot be removed." })
  isService!: boolean;

  @Field(() => DateTime, { description: 'When it was added, last.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was removed. Null while it is a user.' })
  removedAt!: Date | null;
}

export const UserConnection = connectionType(User, 'User');

@InputType({ description: 'Somebody to add.' })
export class AddUserInput {
  @Field(() => String, { description: 'Email address.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'Handle on the code host, with or without @.' })
  handle?: string | null;

  @Field(() => roles, { defaultValue: 'member', description: 'What the user may do.' })
  role!: Role;
}

@InputType({ description: 'What is to change of a user; what is not given stays.' })
export class UpdateUserInput {
  @Field(() => ID, { description: 'The user.' })
  id!: string;

  @Field(() => roles, { nullable: true, description: 'What the user may do from now on, with the tokens it has too.' })
  role?: Role | null;

  @Field(() => String, { nullable: true, description: 'Handle on the code host. Null unlinks it.' })
  handle?: string | null;
}

@InputType({ description: 'A user to remove.' })
export class RemoveUserInput {
  @Field(() => ID, { description: 'The user.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Answer of mutations about users.' })
export class UserPayload {
  @Field(() => User, { description: 'The user as it is now.' })
  user!: User;
}
