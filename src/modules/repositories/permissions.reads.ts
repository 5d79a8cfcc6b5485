// Who may skip the line or validation in a repository, and why.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { requireScope, type Permission, type TeamRead, type UserRead } from '../accounts/index.ts';

export type PermissionSource = 'admin' | 'user' | 'team';

export interface GrantRead {
  readonly id: string;
  readonly permission: Permission;
  readonly user: UserRead | null;
  readonly team: TeamRead | null;
  readonly grantedBy: string | null;
  readonly createdAt: Date;
}

export interface HolderRead {
  readonly user: UserRead;
  readonly source: PermissionSource;
  readonly team: TeamRead | null;
}

// PostgreSQL writes instants inside JSON as text, and the scalar DateTime accepts text too.
const userOf = (alias: string): string => `case when ${alias}.id is not null then jsonb_build_object(
  'id', ${alias}.id::text, 'email', ${alias}.email, 'handle', ${alias}.handle, 'role', ${alias}.role,
  'isService', ${alias}.is_service, 'createdAt', ${alias}.created_at, 'removedAt', ${alias}.removed_at) end`;
const teamOf = (alias: string): string => `case when ${alias}.id is not null then jsonb_build_object(
  'id', ${alias}.id::text, 'org', ${alias}.org, 'slug', ${alias}.slug, 'name', ${alias}.name,
  'createdAt', ${alias}.created_at) end`;

const grants = `
  select g.id, g.permission, ${userOf('u')} as "user", ${teamOf('t')} as team, g.granted_by as "grantedBy",
    g.created_at as "createdAt"
  from permission_grant g
  left join account_user u on u.account_id = g.account_id and u.id = g.user_id
  left join account_team t on t.account_id = g.account_id and t.id = g.team_id
  where g.account_id = $1`;

export interface GrantPage {
  readonly permission: Permission | null;
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly after: string | null;
}

/** The grants in the order in which they were made. */
export async function readGrants(
  ctx: Context,
  repositoryId: string,
  { permission, size, after }: GrantPage,
): Promise<GrantRead[]> {
  requireScope(ctx, 'config:read');
  return await ctx.db.read<GrantRead>(ctx.accountId, {
    name: 'permission_grants',
    text: `${grants} and g.repository_id = $2 and ($3::text is null or g.permission = $3)
             and ($4::bigint is null or g.id > $4) order by g.id limit $5::bigint + 1`,
    values: [ctx.accountId, repositoryId, permission, after, size],
  });
}

/** Reads a grant in the transaction that has made or found it. Checks no scope. Throws if there is no such grant. */
export async function loadGrant(
  { query }: Pick<Transaction, 'query'>,
  accountId: string,
  id: string,
): Promise<GrantRead> {
  const [row] = await query<GrantRead>(`${grants} and g.id = $2`, [accountId, id]);
  if (row === undefined) throw new Error('A grant is gone after it was made.');
  return { ...row, createdAt: new Date(row.createdAt) };
}

// One row for each reason why a user has a permission. `canSkipLine` (accounts/skipping.ts) applies the same rule to
// one user.
const holders = `
  select u.email, 'admin' as source, 0::bigint as team_id, u.id as user_id
  from account_user u where u.account_id = $1 and u.role = 'admin' and u.removed_at is null
  union all
  select u.email, 'user', 0, u.id
  from permission_grant g join account_user u on u.account_id = g.account_id and u.id = g.user_id
  where g.account_id = $1 and g.repository_id = $2 and g.permission = $3
  union all
  select u.email, 'team', g.team_id, u.id
  from permission_grant g
  join account_team_member m on m.account_id = g.account_id and m.team_id = g.team_id
  join account_user u on u.account_id = m.account_id and u.id = m.user_id
  where g.account_id = $1 and g.repository_id = $2 and g.permission = $3`;

export interface HolderPage {
  readonly permission: Permission;
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly after: { readonly email: string; readonly source: string; readonly teamId: string } | null;
}

/** The users with a permission, by email address. A user with several reasons appears once for each reason. */
export async function readHolders(
  ctx: Context,
  repositoryId: string,
  { permission, size, after }: HolderPage,
): Promise<HolderRead[]> {
  requireScope(ctx, 'config:read');
  return await ctx.db.read<HolderRead>(ctx.accountId, {
    name: 'permission_holders',
    text: `select h.source, ${userOf('u')} as "user", ${teamOf('t')} as team
           from (${holders}) h
           join account_user u on u.account_id = $1 and u.id = h.user_id
           left join account_team t on t.account_id = $1 and t.id = h.team_id
           where $4::text is null or (h.email, h.source, h.team_id) > ($4, $5::text, $6::bigint)
           order by h.email, h.source, h.team_id limit $7::bigint + 1`,
    values: [
      ctx.accountId,
      repositoryId,
      permission,
      after?.email ?? null,
      after?.source ?? null,
      after?.teamId ?? null,
      size,
    ],
  });
}
