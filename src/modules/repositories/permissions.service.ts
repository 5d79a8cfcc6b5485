// Permissions to skip the line or to skip validation in one repository, which users have besides their role. Every user
// who may write the repository's configuration may grant these permissions, because a configuration without required
// checks has the same effect.
import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordUserAction, requireScope, type Permission, type UserActionName } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { loadGrant, type GrantRead } from './permissions.reads.ts';
import { loadRepository, type RepositoryName } from './repositories.reads.ts';

export interface PermissionRequest {
  readonly repository: RepositoryName;
  readonly permission: Permission;
  /** Exactly one of `userId` and `teamId` is set. */
  readonly userId: string | null;
  readonly teamId: string | null;
}

const actions = {
  skip_line: { granted: 'skip_line_granted', revoked: 'skip_line_revoked' },
  skip_validation: { granted: 'skip_validation_granted', revoked: 'skip_validation_revoked' },
} as const satisfies Record<Permission, Record<'granted' | 'revoked', UserActionName>>;

/** A repetition changes nothing. */
export async function grantPermission(ctx: Context, request: PermissionRequest): Promise<GrantRead> {
  const { permission, userId, teamId } = request;
  return await changePermission(ctx, request, async (tx, { repositoryId, record }) => {
    const values = [ctx.accountId, repositoryId, permission, userId, teamId];
    const [granted] = await tx.query<{ id: string }>(
      `insert into permission_grant (account_id, repository_id, permission, user_id, team_id, granted_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
      [...values, ctx.actor.email, ctx.clock().toISOString()],
    );
    if (granted) {
      await record('granted');
      return await loadGrant(tx, ctx.accountId, granted.id);
    }
    const [known] = await tx.query<{ id: string }>(
      `select id from permission_grant where account_id = $1 and repository_id = $2 and permission = $3
         and (user_id = $4::bigint or team_id = $5::bigint)`,
      values,
    );
    if (known === undefined) throw new Error('A grant is gone although its holder is locked.');
    return await loadGrant(tx, ctx.accountId, known.id);
  });
}

/** Returns false if there was no such grant. A permission from another source stays. */
export async function revokePermission(ctx: Context, request: PermissionRequest): Promise<boolean> {
  const { permission, userId, teamId } = request;
  return await changePermission(ctx, request, async (tx, { repositoryId, record }) => {
    const revoked = await tx.query(
      `delete from permission_grant where account_id = $1 and repository_id = $2 and permission = $3
         and (user_id = $4::bigint or team_id = $5::bigint) returning id`,
      [ctx.accountId, repositoryId, permission, userId, teamId],
    );
    if (revoked.length > 0) await record('revoked');
    return revoked.length > 0;
  });
}

async function changePermission<T>(
  ctx: Context,
  request: PermissionRequest,
  change: (
    tx: Transaction,
    known: { readonly repositoryId: string; readonly record: (change: 'granted' | 'revoked') => Promise<void> },
  ) => Promise<T>,
): Promise<T> {
  requireScope(ctx, 'config:write');
  const { repository, permission, userId, teamId } = request;
  if ((userId === null) === (teamId === null))
    throw new DomainError('BAD_INPUT', 'input needs either user or team', 'input.user');
  const { id: repositoryId, owner, name } = await loadRepository(ctx, repository, 'config:write');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const holder = await lockHolder(ctx, tx, request);
    const record = async (change: 'granted' | 'revoked'): Promise<void> => {
      const action = actions[permission][change];
      await appendEvents(ctx, tx, [{ repositoryId, action, payload: { userId, teamId } }]);
      await recordUserAction(ctx, tx, { action, target: `${owner}/${name}: ${holder}` });
    };
    return await change(tx, { repositoryId, record });
  });
}

/**
 * Locks the holder, so that it is not removed and its permissions do not change in the meantime. Returns its name in the
 * log.
 */
async function lockHolder(ctx: Context, tx: Transaction, { userId, teamId }: PermissionRequest): Promise<string> {
  const [holder] = await tx.query<{ name: string }>(
    userId !== null
      ? 'select email as name from account_user where account_id = $1 and id = $2 and removed_at is null for no key update'
      : `select '@' || org || '/' || slug as name from account_team where account_id = $1 and id = $2 for no key update`,
    [ctx.accountId, userId ?? teamId],
  );
  if (!holder) throw notFound(userId !== null ? 'User' : 'Team');
  return holder.name;
}
