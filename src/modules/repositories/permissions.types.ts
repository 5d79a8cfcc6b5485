import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Team } from '../accounts/teams.types.ts';
import { User } from '../accounts/users.types.ts';
import type { Permission } from '../accounts/index.ts';
import type { PermissionSource } from './permissions.reads.ts';
import { RepositoryInput } from './repositories.types.ts';

export const permissions = {
  SKIP_LINE: 'skip_line',
  SKIP_VALIDATION: 'skip_validation',
} as const satisfies Record<Uppercase<Permission>, Permission>;
registerEnumType(permissions, {
  name: 'Permission',
  description: 'A permission in a repository that is granted in addition to the role.',
  valuesConfig: {
    SKIP_LINE: { description: 'To queue a pull request before all that do not skip the line.' },
    SKIP_VALIDATION: { description: 'To merge without CI.' },
  },
});

const permissionSources = { ADMIN: 'admin', USER: 'user', TEAM: 'team' } as const satisfies Record<
  Uppercase<PermissionSource>,
  PermissionSource
>;
registerEnumType(permissionSources, {
  name: 'PermissionSource',
  description: 'Why a user has a permission.',
  valuesConfig: {
    ADMIN: { description: 'The user is an admin. Admins have every permission in every repository.' },
    USER: { description: 'The permission was granted to the user.' },
    TEAM: { description: 'The permission was granted to a team of the user.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A permission that was granted to a user or to a team.' })
export class PermissionGrant {
  @Field(() => permissions, { description: 'The granted permission.' })
  permission!: Permission;

  @Field(() => User, {
    nullable: true,
    description: 'The user who got the permission. Null: it was granted to a team.',
  })
  user!: User | null;

  @Field(() => Team, {
    nullable: true,
    description: 'The team that got the permission. Null: it was granted to a user.',
  })
  team!: Team | null;

  @Field(() => String, { nullable: true, description: 'Email address of the user who granted the permission.' })
  grantedBy!: string | null;

  @Field(() => DateTime, { description: 'When the permission was granted.' })
  createdAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A user who has a permission, and why.' })
export class PermissionHolder {
  @Field(() => User, { description: 'The user with the permission.' })
  user!: User;

  @Field(() => permissionSources, {
    description: 'Why the user has the permission. A user with several reasons has an entry for each reason.',
  })
  source!: PermissionSource;

  @Field(() => Team, {
    nullable: true,
    description: 'The team that the permission was granted to. Null for other reasons.',
  })
  team!: Team | null;
}

export const PermissionGrantConnection = connectionType(PermissionGrant, 'PermissionGrant');
export const PermissionHolderConnection = connectionType(PermissionHolder, 'PermissionHolder');

@InputType({ description: 'A permission in a repository, and one user or one team.' })
export class PermissionInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => permissions, { description: 'The permission.' })
  permission!: Permission;

  @Field(() => ID, { nullable: true, description: 'The user. Either `user` or `team` is required.' })
  user?: string | null;

  @Field(() => ID, { nullable: true, description: 'The team. Either `user` or `team` is required.' })
  team?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `grantPermission`.' })
export class GrantPermissionPayload {
  @Field(() => PermissionGrant, { description: 'The grant. A grant that existed before is unchanged.' })
  grant!: PermissionGrant;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `revokePermission`.' })
export class RevokePermissionPayload {
  @Field(() => Boolean, { description: 'False: there was no such grant.' })
  revoked!: boolean;
}
