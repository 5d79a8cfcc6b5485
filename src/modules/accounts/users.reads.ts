import type { Context, Role } from '../../context.ts';
import { unlinkedHandle, userIdOf } from '../../domain/accounts/handle.ts';
import { requireScope } from './authorisation.ts';

export interface UserRead {
  readonly id: string;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Role;
  readonly isService: boolean;
  readonly createdAt: Date;
  readonly removedAt: Date | null;
}

const columns = `u.id, u.email, u.handle, u.role, u.is_service as "isService", u.created_at as "createdAt",
  u.removed_at as "removedAt"`;

export interface UserPage {
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  /** Email address of the last user on the previous page. */
  readonly after: string | null;
}

/** The users by email address, without removed ones. */
export async function readUsers(ctx: Context, { size, after }: UserPage): Promise<UserRead[]> {
  requireScope(ctx, 'config:read');
  return await ctx.db.read<UserRead>(ctx.accountId, {
    name: 'users',
    text: `select ${columns} from account_user u
           where u.account_id = $1 and u.removed_at is null and ($2::text is null or u.email > $2)
           order by u.email limit $3::bigint + 1`,
    values: [ctx.accountId, after, size],
  });
}

/** Finds removed users too. */
export async function readUser(ctx: Context, id: string): Promise<UserRead | null> {
  requireScope(ctx, 'config:read');
  return await findUser(ctx, id);
}

/** Checks no scope, because the caller has just changed the user. */
export async function findUser(ctx: Context, id: string): Promise<UserRead | null> {
  const [row] = await ctx.db.read<UserRead>(ctx.accountId, {
    name: 'user',
    text: `select ${columns} from account_user u where u.account_id = $1 and u.id = $2`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}

/** A user of the account by email address, in any case. Null: unknown or removed. */
export async function findUserByEmail(ctx: Context, email: string): Promise<UserRead | null> {
  const [row] = await ctx.db.read<UserRead>(ctx.accountId, {
    name: 'user_by_email',
    text: `select ${columns} from account_user u where u.account_id = $1 and lower(u.email) = $2 and u.removed_at is null`,
    values: [ctx.accountId, email.trim().toLowerCase()],
  });
  return row ?? null;
}

/**
 * The email address of the user with a handle. The handle may be linked, or made from the user's address. Null: there
 * is no such user, or the user was removed.
 */
export async function findEmailOfHandle(ctx: Context, handle: string): Promise<string | null> {
  const [row] = await ctx.db.read<{ email: string }>(ctx.accountId, {
    name: 'email_by_handle',
    text: `select email from account_user
           where account_id = $1 and removed_at is null and (lower(handle) = lower($2) or id = $3::bigint)`,
    values: [ctx.accountId, handle, userIdOf(handle)],
  });
  return row?.email ?? null;
}

/** The handles of users, including removed users: the linked handle, and the handle made from the address. */
export async function findHandles(ctx: Context, emails: readonly string[]): Promise<string[]> {
  const rows = await ctx.db.read<{ userId: string; email: string; handle: string | null }>(ctx.accountId, {
    name: 'handles_by_email',
    text: `select u.id as "userId", u.email, u.handle from account_user u
           where u.account_id = $1 and lower(u.email) = any ($2::text[])`,
    values: [ctx.accountId, emails.map((email) => email.toLowerCase())],
  });
  return rows.flatMap((user) => [user.handle, unlinkedHandle(user)].filter((name) => name !== null));
}

export async function readTeamMembers(ctx: Context, teamId: string, { size, after }: UserPage): Promise<UserRead[]> {
  requireScope(ctx, 'config:read');
  return await ctx.db.read<UserRead>(ctx.accountId, {
    name: 'team_members',
    text: `select ${columns} from account_team_member m
           join account_user u on u.account_id = m.account_id and u.id = m.user_id
           where m.account_id = $1 and m.team_id = $2 and ($3::text is null or u.email > $3)
           order by u.email limit $4::bigint + 1`,
    values: [ctx.accountId, teamId, after, size],
  });
}
