// What a request is authenticated by: the rows of tokens, sessions and embed links, read across all accounts, and the
// actor of each row.
import type { Actor, Ports, Scope } from '../../context.ts';
import { createKnownRows, type KnownRows } from './known-rows.ts';
import { isSameBytes } from './tokens.ts';

/** The queue that an embed link shows. */
export interface EmbedLinkColumns {
  readonly linkId: string;
  readonly owner: string;
  readonly name: string;
  readonly baseBranch: string;
}

export interface UserColumns {
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

export interface TokenRow extends UserColumns {
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

export interface Caches {
  readonly tokens: KnownRows<TokenRow & WithActor>;
  readonly sessions: KnownRows<SessionRow & WithActor>;
  readonly embeds: KnownRows<EmbedRow & WithActor>;
}

export interface WithActor {
  readonly actor: Actor;
}

export function createCaches({ db }: Ports): Caches {
  const { query } = db.system;
  return {
    tokens: createKnownRows(
      async (lookups) => (await query<TokenRow>(tokensByLookup, [lookups])).map(withActor),
      (before, now) => isSameBytes(before.tokenHmac, now.tokenHmac),
    ),
    sessions: createKnownRows(async (digests) =>
      (await query<SessionRow>(sessionsByDigest, [bytesOf(digests)])).map(withActor),
    ),
    embeds: createKnownRows(async (digests) =>
      (await query<EmbedRow>(embedsByDigest, [bytesOf(digests)])).map(withActor),
    ),
  };
}

function bytesOf(digests: readonly string[]): Buffer[] {
  return digests.map((digest) => Buffer.from(digest, 'hex'));
}

function withActor<Row extends UserColumns & { readonly sessionId?: string }>(row: Row): Row & WithActor {
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
