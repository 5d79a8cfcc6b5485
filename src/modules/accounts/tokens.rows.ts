// Writes rows of tokens. A row has twelve characters and digests of the token. The whole token is shown once and stored
// nowhere. The end of a token takes effect in every process at once.
import type { Context, Ports, Scope } from '../../context.ts';
import type { SystemQueries, Transaction } from '../../platform/database.ts';
import { ruleForRows } from '../../platform/retention/index.ts';
import { announceEndedAccess } from './authenticate.ts';
import {
  decryptSigningDigest,
  digestToken,
  encryptSigningDigest,
  generateToken,
  lookupOf,
  signingDigest,
  type Secrets,
  type TokenKind,
} from './tokens.ts';

interface TokenToInsert {
  readonly accountId: string;
  readonly userId: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly signsWebhooks: boolean;
  /** The token whose end also ends the new token. Null: there is none. */
  readonly endsWith: string | null;
}

export async function insertToken(
  query: SystemQueries['query'],
  secrets: Secrets,
  row: TokenToInsert,
): Promise<{ id: string; token: string }> {
  const token = generateToken(row.kind);
  const [inserted] = await query<{ id: string }>(
    `insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes, signs_webhooks, expires_at, ends_with)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
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
      row.endsWith,
    ],
  );
  const id = inserted?.id ?? '';
  if (row.kind === 'account') {
    const sealed = encryptSigningDigest(secrets, { accountId: row.accountId, tokenId: id }, signingDigest(token));
    await query('update api_token set signing_key = $3 where account_id = $1 and id = $2', [row.accountId, id, sealed]);
  }
  return { id, token };
}

/**
 * Whether these are the secrets of the installation: the account token that was used last was made with them, or, if none
 * was used, the newest. A token that was once made with other secrets is accepted by no server. True if no account token
 * can tell.
 */
export async function areSecretsOfInstallation({ db }: Pick<Ports, 'db'>, secrets: Secrets): Promise<boolean> {
  const [last] = await db.system.query<{ accountId: string; tokenId: string; sealed: Buffer }>(
    `select account_id::text as "accountId", id::text as "tokenId", signing_key as sealed from api_token
     where kind = 'account' and signing_key is not null order by last_used_at desc nulls last, id desc limit 1`,
  );
  if (last === undefined) return true;
  try {
    decryptSigningDigest(secrets, last, last.sealed);
    return true;
  } catch {
    return false;
  }
}

/** Ends tokens, and the tokens that depend on them, in every process at once. */
export async function endTokens(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<void> {
  const ended = await tx.query<{ id: string }>(
    `with recursive ending as (
       select id from api_token where account_id = $1 and id = any ($2::bigint[])
       union
       select t.id from api_token t join ending e on t.account_id = $1 and t.ends_with = e.id)
     update api_token set revoked_at = $3, signs_webhooks = false
     where account_id = $1 and id in (select id from ending) and revoked_at is null returning id`,
    [ctx.accountId, ids, ctx.clock().toISOString()],
  );
  await announceEndedAccess(ctx, tx, { of: 'token', ids: ended.map(({ id }) => id) });
}

/** Makes every process read its cached tokens and sessions again, because the role or handle of a user has changed. */
export async function lookAtTokensAgain(ctx: Pick<Context, 'db'>, tx: Transaction): Promise<void> {
  await announceEndedAccess(ctx, tx, 'all');
}

/** A token `t` that has ended, and to which no row refers. */
const forgotten = `least(t.revoked_at, t.expires_at) is not null and not t.signs_webhooks
  and not exists (select from api_token d where d.account_id = t.account_id and d.ends_with = t.id)
  and not exists (select from webhook_signing w where w.account_id = t.account_id and (t.id in (w.next_token_id, w.previous_token_id) or t.id = any (w.earlier_token_ids)))
  and ${['user_session', 'sign_in_link', 'embed_link']
    .map((table) => `not exists (select from ${table} r where r.account_id = t.account_id and r.token_id = t.id)`)
    .join(' and ')}`;

/** The retention of ended tokens. A token that was made with another one is deleted before the other one. */
export const tokenForgetting = ruleForRows(
  'tokens',
  `select min(least(t.revoked_at, t.expires_at)) from api_token t where ${forgotten}`,
  [{ table: 'api_token', old: `least(t.revoked_at, t.expires_at) < $1 and ${forgotten}` }],
);
