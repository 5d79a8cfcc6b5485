import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import {
  type Connection,
  PageArgs,
  type PageRequest,
  idIn,
  readPage,
  rowId,
  toConnection,
} from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import type { Permission } from '../accounts/index.ts';
import { readGrants, readHolders } from './permissions.reads.ts';
import { grantPermission, revokePermission, type PermissionRequest } from './permissions.service.ts';
import {
  GrantPermissionPayload,
  PermissionGrantConnection,
  PermissionHolderConnection,
  PermissionInput,
  permissions,
  RevokePermissionPayload,
  type PermissionGrant,
  type PermissionHolder,
} from './permissions.types.ts';
import { Repository } from './repositories.types.ts';

@Resolver(() => Repository)
export class PermissionsResolver {
  @FieldResolver(() => PermissionGrantConnection, {
    description:
      'Permissions in this repository that were granted to users and teams, oldest first. Needs config:read.',
  })
  async permissionGrants(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('permission', () => permissions, { nullable: true, description: 'Only this permission.' })
    permission: Permission | null,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<PermissionGrant>> {
    const page = readPage(request, { size: 20, keyLength: 1 });
    const rows = await readGrants(ctx, repository.id, {
      permission,
      size: page.size,
      after: page.after === null ? null : rowId(page),
    });
    return toConnection(rows, page.size, { node: (row): PermissionGrant => row, key: ({ id }) => [id] });
  }

  @FieldResolver(() => PermissionHolderConnection, {
    description:
      'The users with a permission in this repository, by email address. `source` says why a user has the permission: as an admin, by a grant, or by a grant to a team. Needs config:read.',
  })
  async permissionHolders(
    @Ctx() ctx: GraphQLContext,
    @Root() repository: Repository,
    @Arg('permission', () => permissions, { description: 'The permission.' }) permission: Permission,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<PermissionHolder>> {
    const { size, after: key } = readPage(request, { size: 20, keyLength: 3 });
    const rows = await readHolders(ctx, repository.id, {
      permission,
      size,
      after: key && { email: String(key[0]), source: String(key[1]), teamId: idIn(key, 2) },
    });
    return toConnection(rows, size, {
      node: (row): PermissionHolder => row,
      key: ({ user, source, team }) => [user.email, source, team?.id ?? '0'],
    });
  }

  @Mutation(() => GrantPermissionPayload, {
    description: 'Grants a permission in a repository. A repetition changes nothing. Needs config:write.',
  })
  async grantPermission(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PermissionInput) input: PermissionInput,
  ): Promise<GrantPermissionPayload> {
    return { grant: await grantPermission(ctx, requestOf(input)) };
  }

  @Mutation(() => RevokePermissionPayload, {
    description:
      'Revokes a granted permission. Users who have the permission for another reason keep it. Needs config:write.',
  })
  async revokePermission(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PermissionInput) input: PermissionInput,
  ): Promise<RevokePermissionPayload> {
    return { revoked: await revokePermission(ctx, requestOf(input)) };
  }
}

function requestOf({ repository, permission, user, team }: PermissionInput): PermissionRequest {
  return {
    repository,
    permission,
    userId: typeof user === 'string' ? rowIdOf('User', user) : null,
    teamId: typeof team === 'string' ? rowIdOf('Team', team) : null,
  };
}
