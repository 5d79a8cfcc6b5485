import { scopes as allScopes, type Context, type Ports, type Scope } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { SystemQueries, Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { requireScope } from './authorisation.ts';
import { tokenChannel } from './authenticate.ts';
import {
  digestToken,
  encryptSigningDigest,
  generateToken,
  lookupOf,
  signingDigest,
  type Secrets,
  type TokenKind,
} from './tokens.ts';
import { recordUserAction } from './user-actions.ts';

const nameLength = 100;

/** A new tenant with its service user and its first token, which has every scope and signs webhooks. The token is shown once. */
export async function createAccount(
  ports: Ports,
  secrets: Secrets,
  input: { readonly name: string; readonly email: string },
): Promise<{ accountId: string; token: string }> {
  const name = checkedName(input.name, 'name');
  if (!/^[^\s@]+@[^\s@]+$/.test(input.email))
    throw new DomainError('BAD_INPUT', 'email must be an email address', 'email');
  return await ports.db.system.transaction(async (query) => {
    const [account] = await query<{ id: string }>(
      'insert into account (name) values ($1) on conflict (name) do nothing returning id',
      [name],
    );
    if (!account) throw new DomainError('CONFLICT', `An account named ${name} exists already.`, 'name');
    const [user] = await query<{ id: string }>(
      `insert into account_user (account_id, email, role, is_service) values ($1, $2, 'admin', true) returning id`,
      [account.id, input.email],
    );
    const { token } = await insertToken(query, secrets, {
      accountId: account.id,
      userId: user?.id ?? '',
      kind: 'account',
      name: 'First token',
      scopes: allScopes,
      expiresAt: null,
      signsWebhooks: true,
    });
    return { accountId: account.id, token };
  });
}

export interface NewApiToken {
  readonly name: string;
  /** An account token acts as the account's service user; a user token as the one who makes it. */
  readonly kind: TokenKind;
  readonly scopes: readonly Scope[];
  /** Null or absent: until it is revoked. */
  readonly expiresAt?: Date | null | undefined;
}

/** Needs `admin`: a token that could make others would outlive its own revocation. */
export async function createApiToken(
  ctx: Context,
  secrets: Secrets,
  input: NewApiToken,
): Promise<{ id: string; token: string }> {
  requireScope(ctx, 'admin');
  const name = checkedName(input.name, 'input.name');
  if (input.scopes.length === 0)
    throw new DomainError('BAD_INPUT', 'input.scopes must name at least one scope', 'input.scopes');
  const lacking = input.scopes.find((scope) => !ctx.actor.scopes.has(scope));
  if (lacking)
    throw new DomainError(
      'FORBIDDEN',
      `A token can only grant scopes it has itself; this one lacks ${lacking}.`,
      'input.scopes',
    );
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= ctx.clock())
    throw new DomainError('BAD_INPUT', 'input.expiresAt must be in the future', 'input.expiresAt');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const userId = input.kind === 'account' ? await serviceUser(ctx, tx) : ctx.actor.userId;
    if (userId === null) throw new DomainError('FORBIDDEN', 'A user token is made by its user.', 'input.kind');
    const created = await insertToken(async (text, values) => await tx.query(text, values), secrets, {
      accountId: ctx.accountId,
      userId,
      kind: input.kind,
      name,
      scopes: [...new Set(input.scopes)],
      expiresAt,
      signsWebhooks: false,
    });
    await appendEvents(ctx, tx, [
      { action: 'token_created', payload: { tokenId: created.id, name, kind: input.kind } },
    ]);
    await recordUserAction(ctx, tx, { action: 'api_token_created', entity: 'account', target: null });
    return created;
  });
}

interface RevocableRow {
  readonly id: string;
  readonly signs_webhooks: boolean;
  readonly kind: TokenKind;
  readonly revoked_at: string | null;
}

/**
 * Ends a token at once, its open subscriptions too. Revoking it again changes nothing. The token that signs the
 * account's webhooks hands that over to `successor`, which has to be another live account token.
 */
export async function revokeApiToken(
  ctx: Context,
  input: { readonly id: string; readonly successor?: string | null | undefined },
): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const ids = [input.id, input.successor].filter((id): id is string => typeof id === 'string');
    const rows = await tx.query<RevocableRow>(
      'select id, signs_webhooks, kind, revoked_at from api_token where account_id = $1 and id = any ($2::bigint[]) order by id for update',
      [ctx.accountId, ids],
    );
    const token = rows.find((row) => row.id === input.id);
    if (!token) throw notFound('API token');
    if (token.revoked_at !== null) return;
    const at = ctx.clock().toISOString();
    await tx.query('update api_token set revoked_at = $3, signs_webhooks = false where account_id = $1 and id = $2', [
      ctx.accountId,
      token.id,
      at,
    ]);
    if (token.signs_webhooks) {
      const successor = checkedSuccessor(
        token,
        rows.find((row) => row.id === input.successor),
      );
      await tx.query('update api_token set signs_webhooks = true where account_id = $1 and id = $2', [
        ctx.accountId,
        successor.id,
      ]);
    }
    // The one NOTIFY inside a transaction: revocations are rare, and must be heard by every process at once.
    await tx.query('select pg_notify($1, $2)', [tokenChannel, token.id]);
    await appendEvents(ctx, tx, [{ action: 'token_revoked', payload: { tokenId: token.id } }]);
    await recordUserAction(ctx, tx, { action: 'api_token_revoked', entity: 'account', target: null });
  });
}

function checkedSuccessor(token: RevocableRow, successor: RevocableRow | undefined): RevocableRow {
  const cure = 'Name another account token that is not revoked as its successor.';
  if (!successor)
    throw new DomainError('CONFLICT', `This token signs the account's webhooks. ${cure}`, 'input.successor');
  if (successor.id === token.id || successor.kind !== 'account' || successor.revoked_at !== null) {
    throw new DomainError('BAD_INPUT', `That token cannot sign webhooks. ${cure}`, 'input.successor');
  }
  return successor;
}

async function serviceUser(ctx: Context, tx: Transaction): Promise<string> {
  const [user] = await tx.query<{ id: string }>(
    'select id from account_user where account_id = $1 and is_service order by id limit 1',
    [ctx.accountId],
  );
  if (!user) throw notFound('Service user');
  return user.id;
}

interface TokenToInsert {
  readonly accountId: string;
  readonly userId: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly signsWebhooks: boolean;
}

async function insertToken(
  query: SystemQueries['query'],
  secrets: Secrets,
  row: TokenToInsert,
): Promise<{ id: string; token: string }> {
  const token = generateToken(row.kind);
  const [inserted] = await query<{ id: string }>(
    `insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes, signs_webhooks, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [
      row.accountId,
      row.userId,
      row.kind,
      row.name,
      lookupOf(token),
      digestToken(secrets, token),
      [...row.scopes],
      row.signsWebhooks,
      row.expiresAt?.toISOString() ?? null,
    ],
  );
  const id = inserted?.id ?? '';
  if (row.kind === 'account') {
    const sealed = encryptSigningDigest(secrets, { accountId: row.accountId, tokenId: id }, signingDigest(token));
    await query('update api_token set signing_key = $3 where account_id = $1 and id = $2', [row.accountId, id, sealed]);
  }
  return { id, token };
}

function checkedName(name: string, field: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > nameLength)
    throw new DomainError('BAD_INPUT', `${field} must have 1 to ${nameLength} characters`, field);
  return trimmed;
}
