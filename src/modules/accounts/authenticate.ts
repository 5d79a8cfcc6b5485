// From an Authorization header to a Context. The role interlock_system looks tokens up across accounts.
import type { Actor, Context, Ports, Scope } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { digestToken, isSameBytes, lookupOf, type Secrets } from './tokens.ts';

const cacheMs = 5_000;
const cacheSize = 10_000;
const usedEveryMs = 60_000;
/** The payload is the id of a revoked token. Empty: every token must be checked again. */
export const tokenChannel = 'interlock_tokens';

export interface Session {
  readonly ctx: Context;
  /** When the token expires. Null: never. */
  readonly expiresAt: Date | null;
}

export interface Authenticator {
  /** Throws UNAUTHENTICATED, with the same message for every fault of the token. */
  authenticate(authorization: string | undefined, requestId: string): Promise<Session>;
  authenticateToken(token: string, requestId: string): Promise<Session>;
  /**
   * The listener is called for every revocation in any process. `null`: some may have been missed, so that all tokens
   * must be checked again.
   */
  onRevoked(listener: (tokenId: string | null) => void): () => void;
  close(): Promise<void>;
}

interface TokenRow {
  readonly id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly kind: 'account' | 'user';
  readonly tokenHmac: Buffer;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Actor['role'];
}

interface Known {
  readonly row: TokenRow;
  readonly actor: Actor;
  readonly readAt: number;
  usedAt: number;
  /** The token that matched this row: until the row is read again, a comparison with it suffices. */
  token: Buffer | null;
}

const tokenByLookup = `
  select t.id, t.account_id as "accountId", t.user_id as "userId", t.kind, t.token_hmac as "tokenHmac", t.scopes,
         t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", u.email, u.handle, u.role
  from api_token t join account_user u on u.account_id = t.account_id and u.id = t.user_id
  where t.lookup = $1 and t.revoked_at is null and u.removed_at is null`;

export async function createAuthenticator({
  ports,
  secrets,
}: {
  readonly ports: Ports;
  readonly secrets: Secrets;
}): Promise<Authenticator> {
  const known = new Map<string, Known>();
  const listeners = new Set<(tokenId: string | null) => void>();
  // A revocation during a read of a row overrides that row.
  let revocations = 0;

  const stopListening = await ports.db.system.listen(tokenChannel, (tokenId) => {
    revocations += 1;
    if (tokenId === '') known.clear();
    else for (const [lookup, { row }] of known) if (row.id === tokenId) known.delete(lookup);
    for (const listener of listeners) listener(tokenId === '' ? null : tokenId);
  });

  async function find(lookup: string, now: number): Promise<Known | undefined> {
    const cached = known.get(lookup);
    if (cached && now - cached.readAt < cacheMs) return cached;
    const before = revocations;
    const [row] = await ports.db.system.query<TokenRow>(tokenByLookup, [lookup]);
    known.delete(lookup);
    if (!row) return undefined;
    const found = {
      row,
      actor: actorOf(row),
      readAt: now,
      usedAt: Math.max(row.lastUsedAt?.getTime() ?? 0, cached?.usedAt ?? 0),
      token: null,
    };
    if (before !== revocations) return await find(lookup, now);
    if (known.size >= cacheSize) known.delete(known.keys().next().value as string);
    known.set(lookup, found);
    return found;
  }

  function isTokenOf(found: Known, token: string): boolean {
    const given = Buffer.from(token);
    if (found.token !== null) return isSameBytes(given, found.token);
    const isToken = isSameBytes(digestToken(secrets, token), found.row.tokenHmac);
    if (isToken) found.token = given;
    return isToken;
  }

  async function authenticateToken(token: string, requestId: string): Promise<Session> {
    const lookup = lookupOf(token);
    const now = ports.clock().getTime();
    const found = lookup === null ? undefined : await find(lookup, now);
    if (!found || !isTokenOf(found, token)) throw unauthenticated();
    const { expiresAt } = found.row;
    if (expiresAt !== null && expiresAt.getTime() <= now) throw unauthenticated();
    if (now - found.usedAt >= usedEveryMs) {
      found.usedAt = now;
      noteUse(ports, found.row.id, now);
    }
    return { ctx: { ...ports, accountId: found.row.accountId, actor: found.actor, requestId }, expiresAt };
  }

  return {
    authenticateToken,
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
      await stopListening();
    },
  };
}

function actorOf(row: TokenRow): Actor {
  return {
    kind: row.kind === 'account' ? 'account_token' : 'user_token',
    userId: row.userId,
    tokenId: row.id,
    email: row.email,
    handle: row.handle,
    role: row.role,
    scopes: new Set(row.scopes),
  };
}

function noteUse(ports: Ports, tokenId: string, now: number): void {
  ports.db.system
    .query('update api_token set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)', [
      tokenId,
      new Date(now).toISOString(),
    ])
    .catch((error: unknown) => ports.log.warn({ error }, 'when a token was last used could not be written'));
}

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'Unauthorized');
}
