// Sessions of browsers (docs/sign-in.md). A browser begins a session with a token, or with a link that was made with a
// token and works once. The session acts as the user of the token, with the token's scopes, and ends when the token
// ends. Sessions of people who sign in at GitHub or at the OpenID provider have no token.
import { randomBytes } from 'node:crypto';
import type { Context, Ports, Scope } from '../../context.ts';
import { signInLinkMinutes, safePath, sessionEndsAt } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import type { SystemQueries, Transaction } from '../../platform/database.ts';
import { ruleForRows } from '../../platform/retention/index.ts';
import { announceEndedAccess } from './authenticate.ts';
import { digestToken, type Secrets } from './tokens.ts';
import { recordUserAction, type RequestContext } from './user-actions.ts';

export interface SignInLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Makes a link that signs a browser in, once and within 15 minutes. Throws FORBIDDEN for a session, because with such
 * links a session could prolong itself. `next` is the path that the browser opens after the sign-in.
 */
export async function createSignInLink(
  ctx: Context,
  secrets: Secrets,
  { next }: { readonly next?: string | null | undefined },
): Promise<SignInLink> {
  const { tokenId, sessionId, email } = ctx.actor;
  if (sessionId !== null || tokenId === null)
    throw new DomainError('FORBIDDEN', 'A session of a browser cannot make sign-in links. Make the link with a token.');
  const path = safePath(next);
  if (typeof next === 'string' && path !== next)
    throw new DomainError(
      'BAD_INPUT',
      'input.next must be a path of this service, such as /acme/shop/queue/main',
      'input.next',
    );
  const secret = newSecret();
  const now = ctx.clock();
  const expiresAt = new Date(now.getTime() + signInLinkMinutes * 60_000);
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send('insert into sign_in_link (account_id, digest, token_id, expires_at) values ($1, $2, $3, $4)', [
      ctx.accountId,
      digestToken(secrets, secret),
      tokenId,
      expiresAt.toISOString(),
    ]);
    await recordUserAction(ctx, tx, { action: 'sign_in_link_created', target: email });
  });
  const query = path === '/' ? '' : `?next=${encodeURIComponent(path)}`;
  return { url: `${ctx.publicUrl}/session/${secret}${query}`, expiresAt };
}

/**
 * Returns the email address of the user that a sign-in link signs in, and the name of the account. The link can still
 * be used afterwards. Null: the link does not work, or not any more.
 */
export async function findSignInLink(
  { db, clock }: Ports,
  secrets: Secrets,
  secret: string,
): Promise<{ readonly email: string; readonly account: string } | null> {
  const [found] = await db.system.query<{ email: string; account: string }>(
    `select u.email, a.name as account
     from sign_in_link l join api_token t on t.account_id = l.account_id and t.id = l.token_id
     join account_user u on u.account_id = t.account_id and u.id = t.user_id
     join account a on a.id = t.account_id
     where l.digest = $1 and l.used_at is null and l.expires_at > $2 and t.revoked_at is null
       and (t.expires_at is null or t.expires_at > $2)`,
    [digestToken(secrets, secret), clock().toISOString()],
  );
  return found ?? null;
}

interface SessionToStart {
  readonly accountId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Null: the person signed in at GitHub or at the OpenID provider. */
  readonly tokenId: string | null;
  /** The ID token of the OpenID provider, encrypted. Left out: the person did not sign in at the provider. */
  readonly idToken?: Buffer | null;
}

/**
 * Begins a session by a sign-in link, and returns the secret of the session. Throws NOT_FOUND if the link was used, has
 * expired, or was made with a token that has ended.
 */
export async function useSignInLink({ db, clock }: Ports, secrets: Secrets, secret: string): Promise<string> {
  const now = clock();
  return await db.system.transaction(async (query) => {
    const [started] = await query<SessionToStart>(
      `update sign_in_link l set used_at = $2 from api_token t
       where l.digest = $1 and l.used_at is null and l.expires_at > $2
         and t.account_id = l.account_id and t.id = l.token_id and t.revoked_at is null
         and (t.expires_at is null or t.expires_at > $2)
       returning t.account_id as "accountId", t.user_id as "userId", t.scopes, t.id as "tokenId"`,
      [digestToken(secrets, secret), now.toISOString()],
    );
    if (started === undefined)
      throw new DomainError(
        'NOT_FOUND',
        `This link was used already, is older than ${signInLinkMinutes} minutes, or was made with a token that has ended. Ask for a new link, or sign in with a token.`,
      );
    return await insertSession(query, secrets, { ...started, now });
  });
}

/** Begins a session as the user of a token, which the caller has checked. Returns the secret of the session. */
export async function startSession({ actor, accountId, db, clock }: Context, secrets: Secrets): Promise<string> {
  const { userId, tokenId } = actor;
  if (userId === null) throw new Error('A session belongs to a user.');
  const started = { accountId, userId, tokenId, scopes: [...actor.scopes], now: clock() };
  return await insertSession(db.system.query, secrets, started);
}

/** Writes a session. Returns the secret of the session, of which the database stores only a digest. */
export async function insertSession(
  query: SystemQueries['query'],
  secrets: Secrets,
  { accountId, userId, scopes, tokenId, idToken, now }: SessionToStart & { readonly now: Date },
): Promise<string> {
  const secret = newSecret();
  await query(
    `insert into user_session (account_id, user_id, digest, scopes, token_id, started_at, used_at, id_token)
     values ($1, $2, $3, $4, $5, $6, $6, $7)`,
    [accountId, userId, digestToken(secrets, secret), [...scopes], tokenId, now.toISOString(), idToken ?? null],
  );
  return secret;
}

/**
 * Ends the session in use, or all sessions of its user, and their sockets, in every process at once. A repetition
 * changes nothing.
 */
export async function endSession(
  ctx: Context & Partial<RequestContext>,
  { everywhere }: { readonly everywhere: boolean },
): Promise<void> {
  const { sessionId, userId, email } = ctx.actor;
  if (sessionId === null || userId === null)
    throw new DomainError('BAD_INPUT', 'This request came with a token and has no session. Revoke the token instead.');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const ended = await endSessions(ctx, tx, everywhere ? { userId } : { sessionId });
    if (ended > 0) await recordUserAction(ctx, tx, { action: 'signed_out', target: email });
  });
}

/** Ends one session, or all sessions of a user. Returns the number of ended sessions. */
export async function endSessions(
  ctx: Context,
  tx: Transaction,
  which: { readonly sessionId: string } | { readonly userId: string },
): Promise<number> {
  const [column, id] = 'userId' in which ? ['user_id', which.userId] : ['id', which.sessionId];
  const ended = await tx.query<{ id: string }>(
    `update user_session set ended_at = $3 where account_id = $1 and ${column} = $2 and ended_at is null returning id`,
    [ctx.accountId, id, ctx.clock().toISOString()],
  );
  await announceEndedAccess(ctx, tx, { of: 'session', ids: ended.map((row) => row.id) });
  return ended.length;
}

export interface SessionRead {
  readonly startedAt: Date;
  readonly expiresAt: Date;
}

/** The session in use. Null: the request came with a token. */
export async function readOwnSession(ctx: Context): Promise<SessionRead | null> {
  const { sessionId } = ctx.actor;
  if (sessionId === null) return null;
  const [row] = await ctx.db.read<{ startedAt: Date; usedAt: Date; tokenExpiresAt: Date | null }>(ctx.accountId, {
    name: 'own_session',
    text: `select s.started_at as "startedAt", s.used_at as "usedAt", t.expires_at as "tokenExpiresAt"
           from user_session s left join api_token t on t.account_id = s.account_id and t.id = s.token_id
           where s.account_id = $1 and s.id = $2`,
    values: [ctx.accountId, sessionId],
  });
  return row === undefined ? null : { startedAt: row.startedAt, expiresAt: sessionEndsAt(row) };
}

/**
 * The retention of sessions. Ended sessions are kept for a while, because they record which user was signed in when.
 */
export const sessionForgetting = ruleForRows('sessions', 'select min(started_at) from user_session', [
  { table: 'user_session', old: 't.started_at < $1' },
  { table: 'sign_in_link', old: 't.expires_at < $1' },
  { table: 'terminal_sign_in', old: 't.expires_at < $1' },
]);

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
