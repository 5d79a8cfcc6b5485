// Creates and revokes tokens. Admins may do this for all users, and other users for themselves. No token has more
// rights than its creator.
import type { Context, Role, Scope } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { hasScope, mayUse, requireScope } from './authorisation.ts';
import { checkedName } from './names.ts';
import { endTokens, insertToken } from './tokens.rows.ts';
import type { Secrets, TokenKind } from './tokens.ts';
import { recordUserAction, type UserAction } from './user-actions.ts';

export interface NewApiToken {
  readonly name: string;
  /** An account token acts as the account's service user. A user token acts as `userId`, by default the caller. */
  readonly kind: TokenKind;
  readonly scopes: readonly Scope[];
  /** Null or absent: the token never expires. */
  readonly expiresAt?: Date | null | undefined;
  readonly userId?: string | null | undefined;
}

interface Owner {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

/**
 * Needs `admin`, except for a user token that a user token creates for its own user. A token that is created without
 * `admin` ends with the token that created it. So a thief who creates a token with a stolen token loses both when the
 * stolen token is revoked.
 */
export async function createApiToken(
  ctx: Context,
  secrets: Secrets,
  input: NewApiToken,
): Promise<{ id: string; token: string }> {
  const userId = input.userId ?? null;
  if (input.kind === 'account' || userId !== null || !isPerson(ctx)) requireScope(ctx, 'admin');
  const name = checkedName(input.name, 'input.name');
  if (input.kind === 'account' && userId !== null)
    throw new DomainError(
      'BAD_INPUT',
      'input.user is for user tokens: an account token acts as the service user',
      'input.user',
    );
  checkScopes(ctx, input.scopes);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const owner = input.kind === 'account' ? await serviceUser(ctx, tx) : await ownerOf(ctx, tx, userId);
    await refuseTooMany(ctx, tx, owner);
    const beyond = input.scopes.find((scope) => !mayUse(owner.role, scope));
    if (beyond) throw new DomainError('FORBIDDEN', `The role ${owner.role} does not allow ${beyond}.`, 'input.scopes');
    const maker = hasScope(ctx, 'admin') || ctx.actor.tokenId === null ? null : await lockMaker(ctx, tx);
    const created = await insertToken(async (text, values) => await tx.query(text, values), secrets, {
      accountId: ctx.accountId,
      userId: owner.id,
      kind: input.kind,
      name,
      scopes: [...new Set(input.scopes)],
      expiresAt: expiryOf(ctx, input.expiresAt ?? null, maker?.expiresAt ?? null),
      signsWebhooks: false,
      endsWith: maker?.id ?? null,
    });
    await appendEvents(ctx, tx, [
      { action: 'token_created', payload: { tokenId: created.id, name, kind: input.kind } },
    ]);
    await recordUserAction(ctx, tx, tokenAction('created', input.kind, owner.email));
    return created;
  });
}

const maxInForce = 100;

/** The caller has locked the user's row, so that no other token is created for the user meanwhile. */
async function refuseTooMany(ctx: Context, tx: Transaction, owner: Owner): Promise<void> {
  const [{ inForce } = { inForce: 0 }] = await tx.query<{ inForce: number }>(
    `select count(*)::int as "inForce" from api_token
     where account_id = $1 and user_id = $2 and revoked_at is null and (expires_at is null or expires_at > $3)`,
    [ctx.accountId, owner.id, ctx.clock().toISOString()],
  );
  if (inForce >= maxInForce)
    throw new DomainError(
      'CONFLICT',
      `This user has ${inForce} tokens in force, and ${maxInForce} are allowed. Revoke one that is not needed any more.`,
    );
}

function isPerson({ actor: { kind } }: Context): boolean {
  return kind === 'user_token' || kind === 'person';
}

function checkScopes(ctx: Context, scopes: readonly Scope[]): void {
  if (scopes.length === 0)
    throw new DomainError('BAD_INPUT', 'input.scopes must name at least one scope', 'input.scopes');
  const lacking = scopes.find((scope) => !ctx.actor.scopes.has(scope));
  if (lacking)
    throw new DomainError(
      'FORBIDDEN',
      `A token can only grant scopes that it has; this token lacks ${lacking}.`,
      'input.scopes',
    );
}

/** When the new token expires: at the latest when the token that creates it expires. Null: never. */
function expiryOf(ctx: Context, asked: Date | null, makers: Date | null): Date | null {
  if (asked !== null && asked <= ctx.clock())
    throw new DomainError('BAD_INPUT', 'input.expiresAt must be in the future', 'input.expiresAt');
  if (asked !== null && makers !== null && asked > makers)
    throw new DomainError(
      'BAD_INPUT',
      `input.expiresAt must not be later than ${makers.toISOString()}, when the token in use expires`,
      'input.expiresAt',
    );
  return asked ?? makers;
}

function tokenAction(change: 'created' | 'revoked', kind: TokenKind, email: string): UserAction {
  if (kind === 'account') return { action: `account_token_${change}`, target: null };
  return { action: `user_token_${change}`, target: email };
}

/** Locks the user's row, so that a user who is removed meanwhile gets no token, and so that tokens can be counted. */
async function ownerOf(ctx: Context, tx: Transaction, userId: string | null): Promise<Owner> {
  const [owner] = await tx.query<Owner & { isService: boolean }>(
    `select id, email, role, is_service as "isService" from account_user
     where account_id = $1 and id = $2 and removed_at is null for no key update`,
    [ctx.accountId, userId ?? ctx.actor.userId],
  );
  if (!owner) throw notFound('User');
  if (userId !== null && owner.isService)
    throw new DomainError(
      'BAD_INPUT',
      'The service user has no user tokens: make an account token instead.',
      'input.user',
    );
  return owner;
}

/** Locks the token in use, so that it cannot be revoked before the new token depends on it. */
async function lockMaker(ctx: Context, tx: Transaction): Promise<{ id: string; expiresAt: Date | null }> {
  const [maker] = await tx.query<{ id: string; expiresAt: string | null }>(
    `select id, expires_at as "expiresAt" from api_token where account_id = $1 and id = $2 and revoked_at is null for share`,
    [ctx.accountId, ctx.actor.tokenId],
  );
  if (!maker) throw new DomainError('UNAUTHENTICATED', 'Unauthorized');
  return { id: maker.id, expiresAt: maker.expiresAt === null ? null : new Date(maker.expiresAt) };
}

async function serviceUser(ctx: Context, tx: Transaction): Promise<Owner> {
  const [user] = await tx.query<Owner>(
    'select id, email, role from account_user where account_id = $1 and is_service order by id limit 1 for no key update',
    [ctx.accountId],
  );
  if (!user) throw notFound('Service user');
  return user;
}

interface RevocableRow {
  readonly id: string;
  readonly signs_webhooks: boolean;
  readonly kind: TokenKind;
  readonly revoked_at: string | null;
  readonly user_id: string;
  readonly email: string;
}

/** The id of the token of the request. Throws BAD_INPUT if the request came with a session. */
export function tokenInUse({ actor: { tokenId, sessionId } }: Context): string {
  if (tokenId === null || sessionId !== null)
    throw new DomainError('BAD_INPUT', 'This request came without a token. Name the token to revoke.', 'input.id');
  return tokenId;
}

/**
 * Ends a token and its open subscriptions at once. A repetition changes nothing. If the token signs the account's
 * webhooks, `successor` signs them from now on, and must be another account token that is not revoked. Needs `admin`,
 * except for a user token of the caller.
 */
export async function revokeApiToken(
  ctx: Context,
  input: { readonly id: string; readonly successor?: string | null | undefined },
): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const ids = [input.id, input.successor].filter((id): id is string => typeof id === 'string');
    const rows = await tx.query<RevocableRow>(
      `select t.id, t.signs_webhooks, t.kind, t.revoked_at, t.user_id, u.email
       from api_token t join account_user u on u.account_id = t.account_id and u.id = t.user_id
       where t.account_id = $1 and t.id = any ($2::bigint[]) order by t.id for update of t`,
      [ctx.accountId, ids],
    );
    const token = rows.find((row) => row.id === input.id);
    // The scope is checked before any other refusal, so that a caller who may not see the tokens of other users learns
    // nothing about these tokens.
    if (token?.kind !== 'user' || token.user_id !== ctx.actor.userId) requireScope(ctx, 'admin');
    if (!token) throw notFound('API token');
    if (token.revoked_at !== null) return;
    const successor = token.signs_webhooks
      ? checkedSuccessor(
          token,
          rows.find((row) => row.id === input.successor),
        )
      : null;
    await endTokens(ctx, tx, [token.id]);
    if (successor !== null) {
      await tx.send('update api_token set signs_webhooks = true where account_id = $1 and id = $2', [
        ctx.accountId,
        successor.id,
      ]);
    }
    await appendEvents(ctx, tx, [{ action: 'token_revoked', payload: { tokenId: token.id } }]);
    await recordUserAction(ctx, tx, tokenAction('revoked', token.kind, token.email));
  });
}

function checkedSuccessor(token: RevocableRow, successor: RevocableRow | undefined): RevocableRow {
  const remedy = 'Name as successor another account token that is not revoked.';
  if (!successor)
    throw new DomainError('CONFLICT', `This token signs the account's webhooks. ${remedy}`, 'input.successor');
  if (successor.id === token.id || successor.kind !== 'account' || successor.revoked_at !== null) {
    throw new DomainError('BAD_INPUT', `The successor cannot sign webhooks. ${remedy}`, 'input.successor');
  }
  return successor;
}
