// Authenticates a request by a token, by the secret of a session or by the key of an embed link. The database role
// interlock_system looks these up across all accounts.
import type { Actor, Context, Ports } from '../../context.ts';
import { sessionEndsAt } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Database, Transaction } from '../../platform/database.ts';
import {
  createCaches,
  type Caches,
  type EmbedLinkColumns,
  type TokenRow,
  type UserColumns,
  type WithActor,
} from './access.rows.ts';
import type { KnownRow } from './known-rows.ts';
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

export interface Authenticator {
  /** Throws UNAUTHENTICATED, with the same message for every fault of the token. */
  authenticate(authorization: string | undefined, requestId: string): Promise<Session>;
  authenticateToken(token: string, requestId: string): Promise<Session>;
  /**
   * Authenticates by a token that a request sent in the last seconds, without waiting. Null: `authenticate` must decide.
   */
  authenticateKnown(authorization: string | undefined, requestId: string): Session | null;
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

type RevocationListener = Parameters<Authenticator['onRevoked']>[0];

export async function createAuthenticator(given: {
  readonly ports: Ports;
  readonly secrets: Secrets;
}): Promise<Authenticator> {
  const { db } = given.ports;
  const caches = createCaches(given.ports);
  const parts: Parts = { ...given, ...caches };
  const listeners = new Set<RevocationListener>();
  const forgetAll = (): void => {
    for (const rows of Object.values(caches)) rows.forget(() => true);
  };
  const ofDatabase = forgetters.get(db) ?? new Set();
  forgetters.set(db, ofDatabase.add(forgetAll));
  const stopListening = await db.system.listen(tokenChannel, (payload) => {
    const isEnded = endedBy(payload);
    caches.tokens.forget(isEnded);
    caches.sessions.forget(isEnded);
    caches.embeds.forget(() => true);
    for (const listener of listeners) listener(payload === '' ? null : isEnded);
  });
  return {
    authenticateToken: async (token, requestId) => await authenticateToken(parts, token, requestId),
    authenticateSession: async (secret, requestId, { isUse } = { isUse: true }) =>
      await authenticateSession(parts, secret, { requestId, isUse }),
    authenticateEmbed: async (key, requestId) => await authenticateEmbed(parts, key, requestId),
    authenticate: async (authorization, requestId) => {
      const token = bearerOf(authorization);
      if (token === undefined) throw unauthenticated();
      return await authenticateToken(parts, token, requestId);
    },
    authenticateKnown: (authorization, requestId) => authenticateKnown(parts, bearerOf(authorization) ?? '', requestId),
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

interface Parts extends Caches {
  readonly ports: Ports;
  readonly secrets: Secrets;
}

/** Whether a token or a session has ended, according to a notification. */
function endedBy(
  payload: string,
): (access: { readonly tokenId: string | null; readonly sessionId?: string | null }) => boolean {
  const sessionId = /^session:(.*)$/.exec(payload)?.[1];
  return (access) =>
    payload === '' || (sessionId === undefined ? access.tokenId === payload : access.sessionId === sessionId);
}

async function authenticateToken(parts: Parts, token: string, requestId: string): Promise<Session> {
  const { ports, secrets, tokens } = parts;
  const lookup = lookupOf(token);
  const now = ports.clock().getTime();
  const found = lookup === null ? undefined : await tokens.find(lookup, now);
  if (!found || !isTokenOf(secrets, found, token)) throw unauthenticated();
  const session = sessionOfToken(ports, found, { now, requestId });
  if (session === null) throw unauthenticated();
  return session;
}

function authenticateKnown({ ports, tokens }: Parts, token: string, requestId: string): Session | null {
  const lookup = lookupOf(token);
  const now = ports.clock().getTime();
  const found = lookup === null ? undefined : tokens.peek(lookup, now);
  // Only a secret that has matched before is compared here, because the digest of another one takes time.
  if (!found?.secret || !isSameBytes(Buffer.from(token), found.secret)) return null;
  return sessionOfToken(ports, found, { now, requestId });
}

/** Null: the token has expired. */
function sessionOfToken(
  ports: Ports,
  found: KnownRow<TokenRow & WithActor>,
  { now, requestId }: { readonly now: number; readonly requestId: string },
): Session | null {
  const { expiresAt, tokenId } = found.row;
  if (expiresAt !== null && expiresAt.getTime() <= now) return null;
  noteUse(ports, found, {
    now,
    statement: 'update api_token set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
    id: tokenId,
  });
  return { ctx: contextOf(ports, found.row, requestId), expiresAt };
}

/** The token of an Authorization header. Undefined: the header has no token. */
function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

function isTokenOf(secrets: Secrets, found: KnownRow<TokenRow>, token: string): boolean {
  const given = Buffer.from(token);
  if (found.secret !== null) return isSameBytes(given, found.secret);
  const isToken = isSameBytes(digestToken(secrets, token), found.row.tokenHmac);
  if (isToken) found.secret = given;
  return isToken;
}

async function authenticateSession(
  { ports, secrets, sessions }: Parts,
  secret: string,
  { requestId, isUse }: { readonly requestId: string; readonly isUse: boolean },
): Promise<Session> {
  const now = ports.clock().getTime();
  const found = await sessions.find(digestToken(secrets, secret).toString('hex'), now);
  if (!found) throw unauthenticated();
  const { startedAt, expiresAt: tokenExpiresAt, sessionId } = found.row;
  const endsAt = (): Date => sessionEndsAt({ startedAt, usedAt: new Date(found.usedAt), tokenExpiresAt });
  if (endsAt().getTime() <= now) throw unauthenticated();
  if (isUse)
    noteUse(ports, found, {
      now,
      statement: 'update user_session set used_at = $2 where id = $1 and used_at < $2',
      id: sessionId,
    });
  return { ctx: contextOf(ports, found.row, requestId), expiresAt: endsAt() };
}

async function authenticateEmbed(
  { ports, secrets, embeds }: Parts,
  key: string,
  requestId: string,
): Promise<EmbedSession> {
  const now = ports.clock().getTime();
  const found = await embeds.find(digestToken(secrets, key).toString('hex'), now);
  if (!found || (found.row.expiresAt?.getTime() ?? 0) <= now) throw unauthenticated();
  const { linkId, owner, name, baseBranch, expiresAt } = found.row;
  noteUse(ports, found, {
    now,
    statement: 'update embed_link set used_at = $2 where id = $1 and (used_at is null or used_at < $2)',
    id: linkId,
  });
  return { ctx: contextOf(ports, found.row, requestId), expiresAt, link: { linkId, owner, name, baseBranch } };
}

function contextOf(ports: Ports, { accountId, actor }: UserColumns & WithActor, requestId: string): Context {
  return { ...ports, accountId, actor, requestId };
}

function noteUse(
  { db, log }: Ports,
  found: KnownRow<UserColumns>,
  { now, statement, id }: { readonly now: number; readonly statement: string; readonly id: string },
): void {
  if (now - found.usedAt < usedEveryMs) return;
  found.usedAt = now;
  db.system
    .query(statement, [id, new Date(now).toISOString()])
    .catch((error: unknown) =>
      log.warn({ error }, 'The time of the last use of a token, session or embed link could not be written.'),
    );
}

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'Unauthorized');
}
