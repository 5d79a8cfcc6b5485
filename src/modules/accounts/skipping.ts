// Decides which users may skip the line or validation in a repository: admins, and users with the permission, which was
// granted to them or to one of their teams.
import type { Context } from '../../context.ts';
import { userIdOf } from '../../domain/accounts/handle.ts';

export type Permission = 'skip_line' | 'skip_validation';

// The query reads the role of the user's row and not the role of the actor, because the user may be named by a handle
// and have no token. The handle of a user without a linked handle contains the user's id.
const allowed = `
  select u.id from account_user u
  where u.account_id = $1 and u.removed_at is null and (u.id = $2::bigint or lower(u.handle) = lower($3::text))
    and (u.role = 'admin' or exists (
      select from permission_grant g
      where g.account_id = $1 and g.repository_id = $4 and g.permission = $5
        and (g.user_id = u.id or g.team_id in (
          select m.team_id from account_team_member m where m.account_id = $1 and m.user_id = u.id))))`;

interface SkipQuery {
  readonly permission: Permission;
  readonly repositoryId: string;
  readonly userId: string | null;
  readonly handle: string | null;
}

async function isAllowed(ctx: Context, { permission, repositoryId, userId, handle }: SkipQuery): Promise<boolean> {
  const named = handle === null ? null : userIdOf(handle);
  const rows = await ctx.db.read(ctx.accountId, {
    name: 'may_skip',
    text: allowed,
    values: [ctx.accountId, userId ?? named, handle, repositoryId, permission],
  });
  return rows.length > 0;
}

/**
 * Whether the token's user has the permission, and the user `requestedBy` has it too (interface 5). Interlock itself
 * (the actor `system`) needs no permission of its own. `requestedBy` is a handle with or without @. Null: no other user
 * is named.
 */
async function canSkip(
  ctx: Context,
  asked: { readonly permission: Permission; readonly repositoryId: string; readonly requestedBy: string | null },
): Promise<boolean> {
  const { kind, userId } = ctx.actor;
  if (kind !== 'system' && !(await isAllowed(ctx, { ...asked, userId, handle: null }))) return false;
  return (
    asked.requestedBy === null ||
    (await isAllowed(ctx, { ...asked, userId: null, handle: asked.requestedBy.replace(/^@/, '') }))
  );
}

export async function canSkipLine(
  ctx: Context,
  repositoryId: string,
  requestedBy: string | null = null,
): Promise<boolean> {
  return await canSkip(ctx, { permission: 'skip_line', repositoryId, requestedBy });
}

export async function canSkipValidation(
  ctx: Context,
  repositoryId: string,
  requestedBy: string | null = null,
): Promise<boolean> {
  return await canSkip(ctx, { permission: 'skip_validation', repositoryId, requestedBy });
}

const teamAddress = /^@?([^@/\s]+)\/([^@/\s]+)$/;

/** Whether the user with this handle is in the team `@org/slug`. False for unknown users. */
export async function isMemberOfTeam(
  ctx: Context,
  { team, handle }: { readonly team: string; readonly handle: string },
): Promise<boolean> {
  const [, org, slug] = teamAddress.exec(team) ?? [];
  if (org === undefined || slug === undefined) return false;
  const rows = await ctx.db.read(ctx.accountId, {
    name: 'is_member_of_team',
    text: `select u.id from account_user u
           join account_team_member m on m.account_id = u.account_id and m.user_id = u.id
           join account_team t on t.account_id = m.account_id and t.id = m.team_id
           where u.account_id = $1 and u.removed_at is null and (lower(u.handle) = lower($2::text) or u.id = $5::bigint)
             and lower(t.org) = lower($3::text) and t.slug = lower($4::text)`,
    values: [ctx.accountId, handle.replace(/^@/, ''), org, slug, userIdOf(handle)],
  });
  return rows.length > 0;
}

export const skipRefusals = {
  skip_line: 'Not authorized to skip the line in this repository.',
  skip_validation: 'Not authorized to skip validation in this repository.',
} as const satisfies Record<Permission, string>;
