import type { Context, Role, Scope } from '../../context.ts';
import { requireScope } from './authorisation.ts';
import type { TokenKind } from './tokens.ts';

export interface ApiTokenRead {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly scopes: readonly Scope[];
  readonly signsWebhooks: boolean;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly userId: string;
  readonly userEmail: string;
}

export interface AccountRead {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly timezone: string;
}

export interface ViewerRead {
  readonly id: string;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Role;
  readonly scopes: readonly Scope[];
}

const tokenColumns = `t.id, t.name, t.kind, t.scopes, t.signs_webhooks as "signsWebhooks", t.expires_at as "expiresAt",
  t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt", t.created_at as "createdAt", t.user_id as "userId", u.email as "userEmail"`;
const tokenSource = 'api_token t join account_user u on u.account_id = t.account_id and u.id = t.user_id';

export interface TokenPage {
  readonly size: number;
  /** The page has the tokens that were made before this one. Null: the page has the newest tokens. */
  readonly after: string | null;
}

const ofPage = 't.id < coalesce($2::bigint, 9223372036854775807) order by t.id desc limit $3';

/** Tokens of the account, newest first, including ended ones. */
export async function readApiTokens(ctx: Context, { size, after }: TokenPage): Promise<ApiTokenRead[]> {
  requireScope(ctx, 'admin');
  return await ctx.db.read<ApiTokenRead>(ctx.accountId, {
    name: 'api_tokens',
    text: `select ${tokenColumns} from ${tokenSource} where t.account_id = $1 and ${ofPage}`,
    values: [ctx.accountId, after, size],
  });
}

/** User tokens of the acting user, newest first, including ended ones. Needs no scope. */
export async function readOwnApiTokens(ctx: Context, { size, after }: TokenPage): Promise<ApiTokenRead[]> {
  return await ctx.db.read<ApiTokenRead>(ctx.accountId, {
    name: 'own_api_tokens',
    text: `select ${tokenColumns} from ${tokenSource}
           where t.account_id = $1 and t.user_id = $4 and t.kind = 'user' and ${ofPage}`,
    values: [ctx.accountId, after, size, ctx.actor.userId],
  });
}

/**
 * Needs `admin`, except for a user token of the caller. Without `admin`, every other id gives FORBIDDEN, whether the
 * token exists or not.
 */
export async function readApiToken(ctx: Context, id: string): Promise<ApiTokenRead | null> {
  const found = await findApiToken(ctx, id);
  if (found?.kind !== 'user' || found.userId !== ctx.actor.userId) requireScope(ctx, 'admin');
  return found;
}

/** Checks no scope, because the caller has just changed the token. */
export async function findApiToken(ctx: Context, id: string): Promise<ApiTokenRead | null> {
  const [row] = await ctx.db.read<ApiTokenRead>(ctx.accountId, {
    name: 'api_token',
    text: `select ${tokenColumns} from ${tokenSource} where t.account_id = $1 and t.id = $2`,
    values: [ctx.accountId, id],
  });
  return row ?? null;
}

export async function readAccount(ctx: Context): Promise<AccountRead> {
  const [row] = await ctx.db.read<AccountRead>(ctx.accountId, {
    name: 'account',
    text: 'select id, name, plan, timezone from account where id = $1',
    values: [ctx.accountId],
  });
  if (!row) throw new Error('The account of a token is gone.');
  return row;
}
