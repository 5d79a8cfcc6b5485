// Authenticates a request by a token, by the secret of a session or by the key of an embed link. The database role
// interlock_system looks these up across all accounts.
import type { Actor, Context, Ports, Scope } from '../../context.ts';
import { sessionEndsAt } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Database, Transaction } from '../../platform/database.ts';
import { createKnownRows, type KnownRow } from './known-rows.ts';
import { digestToken, isSameBytes, lookupOf, type Secrets } from './tokens.ts';

const usedEveryMs = 60_000;
/**
 * The channel of notifications about ended tokens. The payload is the id of a revoked token, or `session:` and the id
 * of an ended session, or `embed:` and the id of a revoked embed link. An empty payload means that all of them must be
 * checked again.
 */
const tokenChannel = 'interlock_tokens';

const forgetters = new WeakMap<Database, Set<() => void>>();

/** Tokens, sessions or embed links that have ended. `all`: it is not known which, so that all must be checked again. */
export type EndedAccess = { readonly of: 'token' | 'session' | 'embed'; readonly ids: readonly string[] } | 'all';

/**
 * Makes every process read tokens, sessions and embed links again, after the commit that ends some of them. Other
 * processes are notified, because the end must reach them at once. Such changes are rare. For this process the
 * notification would come some milliseconds too late, because the next request of the same user may already be under
 * way.
 */
export async function announceEndedAccess(
  { db }: Pick<Context, 'db'>,
  tx: Transaction,
  ended: EndedAccess,
): Promise<void> {
  const payloads = ended === 'all' ? [''] : ended.ids.map((id) => (ended.of === 'token' ? id : `${ended.of}:${id}`));
  await tx.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [tokenChannel, payloads]);
  tx.afterCommit(() => {
    for (const forget of forgetters.get(db) ?? []) forget();
  });
}

export interface Session {
  readonly ctx: Context;
  /** When the token or the session expires. Null: never. Each use of a session prolongs the session. */
  readonly expiresAt: Date | null;
}

export interface EmbedSession extends Session {
  readonly link: EmbedLinkColumns;
}

/** The queue that an embed link shows. */
export interface EmbedLinkColumns {
  readonly linkId: string;
  readonly owner: string;
  readonly name: string;
  readonly baseBranch: string;
}

export interface Authenticator {
  /** Throws UNAUTHENTICATED, with the same message for every fault of the token. */
  authenticate(authorization: string | undefined, requestId: string): Promise<Session>;
  authenticateToken(token: string, requestId: string): Promise<Session>;
  /** Authenticates a browser by the secret in its cookie. `isUse: false` does not prolong the session. */
  authenticateSession(secret: string, requestId: string, options?: { readonly isUse: boolean }): Promise<Session>;
  /**
   * Authenticates a visitor by the key of an embed link. The visitor reads as the user who made the link, with only the
   * scope queue:read.
   */
  authenticateEmbed(key: string, requestId: string): Promise<EmbedSession>;
  /**
   * Calls the listener when any process ends a token, a session or an embed link, with a function that says whether an
   * actor's access has ended. `null`: notifications may have been missed, so that all actors must be checked again.
   * Returns a function that removes the listener.
   */
  onRevoked(listener: (isEnded: ((actor: Actor) => boolean) | null) => void): () => void;
  close(): Promise<void>;
}

interface UserColumns {
  /** The key of the row in the cache: the look-up characters of a token, or the digest of a secret, in hexadecimal. */
  readonly key: string;
  readonly accountId: string;
  readonly userId: string;
  /** Null: the user signed in at GitHub or at the OpenID provider, without a token. */
  readonly kind: 'account' | 'user' | null;
  readonly tokenId: string | null;
  readonly scopes: readonly Scope[];
  /** When the token or the embed link expires. Null: never. */
  readonly expiresAt: Date | null;
  readonly usedAt: Date | null;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Actor['role'];
  /** Null: the role does not follow GitHub. */
  readonly githubUserId: string | null;
  /** Whether the role follows the OpenID provider. */
  readonly isAtOidc: boolean;
}

const userColumns = `u.email, u.handle, u.role, case when u.role_from = 'github' then u.github_user_id end as "githubUserId",
  u.role_from = 'oidc' as "isAtOidc"`;

interface TokenRow extends UserColumns {
  readonly tokenId: string;
  readonly tokenHmac: Buffer;
}

interface SessionRow extends UserColumns {
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly usedAt: Date;
}

const tokensByLookup = `
  select t.lookup as key, t.account_id as "accountId", t.user_id as "userId", t.kind, t.id as "tokenId", t.token_hmac as "tokenHmac",
         t.scopes, t.expires_at as "expiresAt", t.last_used_at as "usedAt", ${userColumns}
  from api_token t join account_user u on u.account_id = t.account_id and u.id = t.user_id
  where t.lookup = any ($1::text[]) and t.revoked_at is null and u.removed_at is null`;

const sessionsByDigest = `
  select encode(s.digest, 'hex') as key, s.account_id as "accountId", s.user_id as "userId", t.kind, s.token_id as "tokenId", s.id as "sessionId",
         s.scopes, t.expires_at as "expiresAt", s.started_at as "startedAt", s.used_at as "usedAt",
         ${userColumns}
  from user_session s join account_user u on u.account_id = s.account_id and u.id = s.user_id
  left join api_token t on t.account_id = s.account_id and t.id = s.token_id
  where s.digest = any ($1::bytea[]) and s.ended_at is null and u.removed_at is null and t.revoked_at is null`;

interface EmbedRow extends UserColumns, EmbedLinkColumns {}

const embedsByDigest = `
  select encode(l.digest, 'hex') as key, l.account_id as "accountId", l.user_id as "userId", t.kind, l.token_id as "tokenId", l.id as "linkId",
         array['queue:read'] as scopes, least(l.expires_at, t.expires_at) as "expiresAt", l.used_at as "usedAt",
         r.owner, r.name, l.base_branch as "baseBranch", ${userColumns}
  from embed_link l join account_user u on u.account_id = l.account_id and u.id = l.user_id
  join repository r on r.account_id = l.account_id and r.id = l.repository_id
  left join api_token t on t.account_id = l.account_id and t.id = l.token_id
  where l.digest = any ($1::bytea[]) and l.revoked_at is null and u.removed_at is null and t.revoked_at is null and r.deleted_at is null`;

export async function createAuthenticator({
  ports,
  secrets,
}: {
  readonly ports: Ports;
  readonly secrets: Secrets;
}): Promise<Authenticator> {
  const { query } = ports.db.system;
  const tokens = createKnownRows(
    async (lookups) => (await query<TokenRow>(tokensByLookup, [lookups])).map(withActor),
    (before, now) => isSameBytes(before.tokenHmac, now.tokenHmac),
  );
  const sessions = createKnownRows(async (digests) =>
    (await query<SessionRow>(sessionsByDigest, [bytesOf(digests)])).map(withActor),
  );
  const embeds = createKnownRows(async (digests) =>
    (await query<EmbedRow>(embedsByDigest, [bytesOf(digests)])).map(withActor),
  );
  const listeners = new Set<(isEnded: ((actor: Actor) => boolean) | null) => void>();

  const forgetAll = (): void => {
    for (const rows of [tokens, sessions, embeds]) rows.forget(() => true);
  };
  const ofDatabase = forgetters.get(ports.db) ?? new Set();
  forgetters.set(ports.db, ofDatabase.add(forgetAll));

  const stopListening = await ports.db.system.listen(tokenChannel, (payload) => {
    const sessionId = /^session:(.*)$/.exec(payload)?.[1];
    const isEnded = (access: { readonly tokenId: string | null; readonly sessionId?: string | null }): boolean =>
      payload === '' || (sessionId === undefined ? access.tokenId === payload : access.sessionId === sessionId);
    tokens.forget(isEnded);
    sessions.forget(isEnded);
    embeds.forget(() => true);
    for (const listener of listeners) listener(payload === '' ? null : isEnded);
  });

  function isTokenOf(found: KnownRow<TokenRow>, token: string): boolean {
    const given = Buffer.from(token);
    if (found.secret !== null) return isSameBytes(given, found.secret);
    const isToken = isSameBytes(digestToken(secrets, token), found.row.tokenHmac);
    if (isToken) found.secret = given;
    return isToken;
  }

  function contextOf({ accountId, actor }: UserColumns & { readonly actor: Actor }, requestId: string): Context {
    return { ...ports, accountId, actor, requestId };
  }

  function noteUse(
    found: KnownRow<UserColumns>,
    now: number,
    { statement, id }: { readonly statement: string; readonly id: string },
  ): void {
    if (now - found.usedAt < usedEveryMs) return;
    found.usedAt = now;
    query(statement, [id, new Date(now).toISOString()]).catch((error: unknown) =>
      ports.log.warn({ error }, 'The time of the last use of a token, session or embed link could not be written.'),
    );
  }

  async function authenticateToken(token: string, requestId: string): Promise<Session> {
    const lookup = lookupOf(token);
    const now = ports.clock().getTime();
    const found = lookup === null ? undefined : await tokens.find(lookup, now);
    if (!found || !isTokenOf(found, token)) throw unauthenticated();
    const { expiresAt, tokenId } = found.row;
    if (expiresAt !== null && expiresAt.getTime() <= now) throw unauthenticated();
    noteUse(found, now, {
      statement: 'update api_token set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
      id: tokenId,
    });
    return { ctx: contextOf(found.row, requestId), expiresAt };
  }

  async function authenticateSession(secret: string, requestId: string, { isUse } = { isUse: true }): Promise<Session> {
    const now = ports.clock().getTime();
    const found = await sessions.find(digestToken(secrets, secret).toString('hex'), now);
    if (!found) throw unauthenticated();
    const { startedAt, expiresAt: tokenExpiresAt, sessionId } = found.row;
    const endsAt = (): Date => sessionEndsAt({ startedAt, usedAt: new Date(found.usedAt), tokenExpiresAt });
    if (endsAt().getTime() <= now) throw unauthenticated();
    if (isUse)
      noteUse(found, now, {
        statement: 'update user_session set used_at = $2 where id = $1 and used_at < $2',
        id: sessionId,
      });
    return { ctx: contextOf(found.row, requestId), expiresAt: endsAt() };
  }

  async function authenticateEmbed(linkKey: string, requestId: string): Promise<EmbedSession> {
    const now = ports.clock().getTime();
    const found = await embeds.find(digestToken(secrets, linkKey).toString('hex'), now);
    if (!found || (found.row.expiresAt?.getTime() ?? 0) <= now) throw unauthenticated();
    const { linkId, owner, name, baseBranch, expiresAt } = found.row;
    noteUse(found, now, {
      statement: 'update embed_link set used_at = $2 where id = $1 and (used_at is null or used_at < $2)',
      id: linkId,
    });
    return { ctx: contextOf(found.row, requestId), expiresAt, link: { linkId, owner, name, baseBranch } };
  }

  return {
    authenticateToken,
    authenticateSession,
    authenticateEmbed,
    authenticate: async (authorization, requestId) => {
      const [, token] = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) throw unauthenticated();
      return await authenticateToken(token, requestId);
    },
    onRevoked: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      listeners.clear();
      ofDatabase.delete(forgetAll);
      await stopListening();
    },
  };
}

function bytesOf(digests: readonly string[]): Buffer[] {
  return digests.map((digest) => Buffer.from(digest, 'hex'));
}

function withActor<Row extends UserColumns & { readonly sessionId?: string }>(
  row: Row,
): Row & { readonly actor: Actor } {
  return { ...row, actor: actorOf(row) };
}

const kinds = { account: 'account_token', user: 'user_token' } as const;

function actorOf(row: UserColumns & { readonly sessionId?: string }): Actor {
  return {
    kind: row.kind === null ? 'person' : kinds[row.kind],
    userId: row.userId,
    tokenId: row.tokenId,
    sessionId: row.sessionId ?? null,
    email: row.email,
    handle: row.handle,
    role: row.role,
    scopes: new Set(row.scopes),
    personAtGitHub: row.githubUserId === null ? null : { id: row.githubUserId, login: row.handle ?? '' },
    hasOidcRole: row.isAtOidc,
  };
}

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'Unauthorized');
}
