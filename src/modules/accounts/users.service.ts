// Adds, changes and removes users of the account, for admins. Each change locks the account's row, so that addresses
// and handles stay unique, and the account keeps at least one admin.
import type { Context, Role } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { announceEndedAccess } from './authenticate.ts';
import { requireScope } from './authorisation.ts';
import { checkedEmail, checkedHandle } from './names.ts';
import { endSessions } from './sessions.service.ts';
import { endTokens, lookAtTokensAgain } from './tokens.rows.ts';
import { recordUserAction } from './user-actions.ts';

interface LockedUser {
  readonly id: string;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Role;
  readonly isService: boolean;
  readonly isRemoved: boolean;
  readonly roleFrom: 'account' | 'github' | 'oidc';
  /** Whether the user is a person of GitHub. */
  readonly isAtGitHub: boolean;
}

const lockedColumns = `id, email, handle, role, is_service as "isService", removed_at is not null as "isRemoved",
  role_from as "roleFrom", github_user_id is not null as "isAtGitHub"`;

/** A removed user who is added again starts without tokens, embed links, teams and permissions. */
export async function addUser(
  ctx: Context,
  input: { readonly email: string; readonly handle?: string | null; readonly role: Role },
): Promise<{ userId: string }> {
  requireScope(ctx, 'admin');
  const email = checkedEmail(input.email, 'input.email');
  const handle = checkedHandle(input.handle ?? null, 'input.handle');
  return await changeUsers(ctx, async (tx) => {
    const [known] = await tx.query<LockedUser>(
      `select ${lockedColumns} from account_user where account_id = $1 and lower(email) = $2`,
      [ctx.accountId, email],
    );
    if (known && !known.isRemoved) throw new DomainError('CONFLICT', `${email} is already a user.`, 'input.email');
    await refuseTakenHandle(ctx, tx, { handle, userId: null });
    const values = [ctx.accountId, email, handle, input.role, ctx.clock().toISOString()];
    const [user] = await tx.query<{ id: string }>(
      known
        ? `update account_user set handle = $3, role = $4, role_from = 'account', created_at = $5, removed_at = null
           where account_id = $1 and lower(email) = $2 returning id`
        : `insert into account_user (account_id, email, handle, role, created_at) values ($1, $2, $3, $4, $5) returning id`,
      values,
    );
    const userId = user?.id ?? '';
    await appendEvents(ctx, tx, [{ action: 'user_added', payload: { userId, role: input.role } }]);
    await recordUserAction(ctx, tx, { action: 'user_added', target: email });
    return { userId };
  });
}

/**
 * If `role` is null, the role does not change. If `handle` is undefined, the handle does not change; null unlinks it. A
 * new role limits the user's tokens at once. After an admin has set the role of a user, the role no longer follows
 * GitHub or the OpenID provider.
 */
export async function updateUser(
  ctx: Context,
  input: { readonly id: string; readonly role: Role | null; readonly handle: string | null | undefined },
): Promise<void> {
  requireScope(ctx, 'admin');
  const handle = input.handle === undefined ? undefined : checkedHandle(input.handle, 'input.handle');
  await changeUsers(ctx, async (tx) => {
    const user = await loadUser(ctx, tx, { id: input.id });
    const role = input.role ?? user.role;
    const isRoleNew = role !== user.role || (input.role !== null && user.roleFrom !== 'account');
    const isHandleNew = handle !== undefined && handle !== user.handle;
    if (!isRoleNew && !isHandleNew) return;
    if (isRoleNew && user.isService) throw serviceUserStays('must have the role admin');
    if (isHandleNew && user.isAtGitHub)
      throw new DomainError('CONFLICT', `The handle of ${user.email} comes from GitHub.`, 'input.handle');
    if (role !== user.role && user.role === 'admin') await refuseLastAdmin(ctx, tx, user.id);
    if (isHandleNew) await refuseTakenHandle(ctx, tx, { handle, userId: user.id });
    await tx.send('update account_user set role = $3, handle = $4, role_from = $5 where account_id = $1 and id = $2', [
      ctx.accountId,
      user.id,
      role,
      isHandleNew ? handle : user.handle,
      isRoleNew ? 'account' : user.roleFrom,
    ]);
    await lookAtTokensAgain(ctx, tx);
    await appendEvents(ctx, tx, [{ action: 'user_updated', payload: { userId: user.id, role } }]);
    if (isRoleNew) await recordUserAction(ctx, tx, { action: 'user_role_changed', target: user.email });
    if (isHandleNew) await recordUserAction(ctx, tx, { action: 'user_handle_changed', target: user.email });
  });
}

/**
 * Ends the user's tokens, sessions and embed links at once, and removes the user from teams and permissions. A repetition changes
 * nothing.
 */
export async function removeUser(ctx: Context, input: { readonly id: string }): Promise<void> {
  requireScope(ctx, 'admin');
  await changeUsers(ctx, async (tx) => {
    const user = await loadUser(ctx, tx, { id: input.id, removed: true });
    if (user.isRemoved) return;
    if (user.isService) throw serviceUserStays('cannot be removed');
    if (user.role === 'admin') await refuseLastAdmin(ctx, tx, user.id);
    const ofUser = [ctx.accountId, user.id];
    // Another user may have the handle. The address stays in the row, for the audit log and in case the user is added
    // again.
    await tx.send('update account_user set removed_at = $3, handle = null where account_id = $1 and id = $2', [
      ...ofUser,
      ctx.clock().toISOString(),
    ]);
    await tx.send(
      'update oidc_person set confirmed_at = null, refresh_token = null where account_id = $1 and user_id = $2',
      ofUser,
    );
    await tx.send('delete from account_team_member where account_id = $1 and user_id = $2', ofUser);
    await tx.send('delete from permission_grant where account_id = $1 and user_id = $2', ofUser);
    const tokens = await tx.query<{ id: string }>(
      'select id from api_token where account_id = $1 and user_id = $2 and revoked_at is null',
      ofUser,
    );
    await endTokens(
      ctx,
      tx,
      tokens.map(({ id }) => id),
    );
    await endSessions(ctx, tx, { userId: user.id });
    await endEmbedLinks(ctx, tx, user.id);
    await appendEvents(ctx, tx, [{ action: 'user_removed', payload: { userId: user.id } }]);
    await recordUserAction(ctx, tx, { action: 'user_removed', target: user.email });
  });
}

/** Ends the user's embed links, which would work again if the user were added again. */
async function endEmbedLinks(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const ended = await tx.query<{ id: string }>(
    `update embed_link set revoked_at = $3 where account_id = $1 and user_id = $2 and revoked_at is null returning id`,
    [ctx.accountId, userId, ctx.clock().toISOString()],
  );
  await announceEndedAccess(ctx, tx, { of: 'embed', ids: ended.map(({ id }) => id) });
}

async function changeUsers<T>(ctx: Context, change: (tx: Transaction) => Promise<T>): Promise<T> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query('select 1 from account where id = $1 for no key update', [ctx.accountId]);
    return await change(tx);
  });
}

/** Locks the user's row, so that no token, membership or permission is created for the user in the meantime. */
async function loadUser(
  ctx: Context,
  tx: Transaction,
  { id, removed = false }: { readonly id: string; readonly removed?: boolean },
): Promise<LockedUser> {
  const [user] = await tx.query<LockedUser>(
    `select ${lockedColumns} from account_user where account_id = $1 and id = $2 for update`,
    [ctx.accountId, id],
  );
  if (!user || (user.isRemoved && !removed)) throw notFound('User');
  return user;
}

async function refuseTakenHandle(
  ctx: Context,
  tx: Transaction,
  { handle, userId }: { readonly handle: string | null; readonly userId: string | null },
): Promise<void> {
  const [taken] = await tx.query<{ email: string }>(
    'select email from account_user where account_id = $1 and lower(handle) = lower($2) and id is distinct from $3::bigint',
    [ctx.accountId, handle, userId],
  );
  if (taken) throw new DomainError('CONFLICT', `The handle ${handle} belongs to ${taken.email}.`, 'input.handle');
}

// The service user does not count as an admin, because no person can sign in as it.
async function refuseLastAdmin(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const others = await tx.query(
    `select 1 from account_user
     where account_id = $1 and role = 'admin' and not is_service and removed_at is null and id <> $2 limit 1`,
    [ctx.accountId, userId],
  );
  if (others.length === 0)
    throw new DomainError('CONFLICT', 'This is the last admin of the account. Make another user an admin first.');
}

function serviceUserStays(reason: string): DomainError {
  return new DomainError('CONFLICT', `The service user ${reason}, because the account's tokens act as this user.`);
}
