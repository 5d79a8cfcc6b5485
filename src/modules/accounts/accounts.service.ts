import { scopes as allScopes, type Context, type Ports } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { appendEvents } from '../events/index.ts';
import { requireScope } from './authorisation.ts';
import { checkedEmail, checkedName } from './names.ts';
import type { Secrets } from './tokens.ts';
import { insertToken } from './tokens.rows.ts';
import { recordUserAction } from './user-actions.ts';

/**
 * Creates an account with its service user and its first token, which has every scope and signs webhooks. The token is
 * returned only this once.
 */
export async function createAccount(
  ports: Ports,
  secrets: Secrets,
  input: { readonly name: string; readonly email: string },
): Promise<{ accountId: string; token: string }> {
  const name = checkedName(input.name, 'name');
  const email = checkedEmail(input.email, 'email');
  return await ports.db.system.transaction(async (query) => {
    const [account] = await query<{ id: string }>(
      'insert into account (name) values ($1) on conflict (name) do nothing returning id',
      [name],
    );
    if (!account) throw new DomainError('CONFLICT', `An account named ${name} already exists.`, 'name');
    const [user] = await query<{ id: string }>(
      `insert into account_user (account_id, email, role, is_service) values ($1, $2, 'admin', true) returning id`,
      [account.id, email],
    );
    const { token } = await insertToken(query, secrets, {
      accountId: account.id,
      userId: user?.id ?? '',
      kind: 'account',
      name: 'First token',
      scopes: allScopes,
      expiresAt: null,
      signsWebhooks: true,
      endsWith: null,
    });
    return { accountId: account.id, token };
  });
}

/** `timezone` is an IANA name. If it is the present one, nothing changes. Needs `admin`. */
export async function setAccountTimezone(ctx: Context, timezone: string): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const changed = await tx.query('update account set timezone = $2 where id = $1 and timezone <> $2 returning id', [
      ctx.accountId,
      timezone,
    ]);
    if (changed.length === 0) return;
    await appendEvents(ctx, tx, [{ action: 'account_timezone_changed', payload: { timezone } }]);
    await recordUserAction(ctx, tx, { action: 'account_timezone_changed', target: null });
  });
}
