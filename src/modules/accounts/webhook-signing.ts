// Which of an account's tokens sign its webhooks. A rotation has three stages (interface 5). First the next token signs
// in addition to the current one. Then the next token is promoted and becomes the current one. After this the previous
// token signs in addition for a day, also if another token is promoted meanwhile.
import type { Context, Ports } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import {
  keyOfTokenDigest,
  promoteAfterMs,
  replacedTokensAfter,
  signingTokensAt,
  type ReplacedToken,
  type Rotation,
  type SigningKey,
  type SigningKeys,
} from '../../domain/events/signature.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { readApiToken, type ApiTokenRead } from './accounts.reads.ts';
import { requireScope } from './authorisation.ts';
import { decryptSigningDigest, type Secrets } from './tokens.ts';
import { recordUserAction } from './user-actions.ts';

interface SigningRow {
  readonly current: string;
  readonly next: string | null;
  readonly promoteAt: Date | string | null;
  readonly previous: string | null;
  readonly previousUntil: Date | string | null;
  readonly earlier: readonly { readonly token: string; readonly until: string }[];
}

// A revoked token neither signs nor is promoted.
const signingRow = `
  select t.id::text as current, n.id::text as next, case when n.id is not null then s.promote_at end as "promoteAt",
         p.id::text as previous, case when p.id is not null then s.previous_until end as "previousUntil",
         (select coalesce(jsonb_agg(jsonb_build_object('token', e.id::text, 'until', r.until) order by r.place), '[]')
          from unnest(s.earlier_token_ids, s.earlier_tokens_until) with ordinality as r (id, until, place)
          join api_token e on e.account_id = s.account_id and e.id = r.id and e.revoked_at is null) as earlier
  from api_token t
  left join webhook_signing s on s.account_id = t.account_id
  left join api_token n on n.account_id = s.account_id and n.id = s.next_token_id and n.revoked_at is null
  left join api_token p on p.account_id = s.account_id and p.id = s.previous_token_id and p.revoked_at is null
  where t.account_id = $1 and t.signs_webhooks`;

interface WebhookSigning {
  readonly current: string;
  readonly next: string | null;
  readonly promoteAt: Date | null;
  readonly previous: string | null;
  readonly previousUntil: Date | null;
}

export interface SigningTokens extends Omit<WebhookSigning, 'current' | 'next' | 'previous'> {
  readonly current: ApiTokenRead;
  readonly next: ApiTokenRead | null;
  readonly previous: ApiTokenRead | null;
}

/** Like `readWebhookSigning`, with the tokens themselves. */
export async function readSigningTokens(ctx: Context): Promise<SigningTokens> {
  const signing = await readWebhookSigning(ctx);
  const read = async (id: string | null): Promise<ApiTokenRead | null> =>
    id === null ? null : await readApiToken(ctx, id);
  const [current, next, previous] = await Promise.all([
    read(signing.current),
    read(signing.next),
    read(signing.previous),
  ]);
  if (current === null) throw notFound('Signing token');
  return { ...signing, current, next, previous };
}

/** The ids of the current signing token, and of the next and the previous token if they sign in addition. */
async function readWebhookSigning(ctx: Context): Promise<WebhookSigning> {
  requireScope(ctx, 'admin');
  const [row] = await ctx.db.read<SigningRow>(ctx.accountId, {
    name: 'webhook_signing',
    text: signingRow,
    values: [ctx.accountId],
  });
  if (row === undefined) throw notFound('Signing token');
  const tokens = signingTokensAt(rotationOf(row), ctx.clock().getTime());
  return {
    ...tokens,
    promoteAt: tokens.next === null || row.promoteAt === null ? null : new Date(row.promoteAt),
    previousUntil: tokens.previousUntil === null ? null : new Date(tokens.previousUntil),
  };
}

function rotationOf(row: SigningRow): Rotation {
  return {
    current: row.current,
    next: row.next === null || row.promoteAt === null ? null : { token: row.next, promoteAt: +new Date(row.promoteAt) },
    previous:
      row.previous === null || row.previousUntil === null
        ? null
        : { token: row.previous, until: +new Date(row.previousUntil) },
    earlier: row.earlier.map(({ token, until }) => ({ token, until: +new Date(until) })),
  };
}

/**
 * Null: no token of the account signs, or the signing token has no key. Both happen only in a manually changed
 * database. `undecryptable`: the key of the current token was encrypted with another secret of the installation. Another
 * key that cannot be decrypted is left out.
 */
export async function readSigningKeys(
  ports: Pick<Ports, 'db' | 'log'>,
  secrets: Secrets,
  { accountId, now }: { readonly accountId: string; readonly now: Date },
): Promise<SigningKeys | 'undecryptable' | null> {
  const [row] = await ports.db.system.query<SigningRow>(signingRow, [accountId]);
  if (row === undefined) return null;
  const tokens = signingTokensAt(rotationOf(row), now.getTime());
  const ids = [tokens.current, tokens.next, tokens.previous, ...tokens.earlier].filter((id) => id !== null);
  const sealed = await ports.db.system.query<{ id: string; signingKey: Buffer | null }>(
    'select id::text, signing_key as "signingKey" from api_token where account_id = $1 and id = any ($2::bigint[])',
    [accountId, ids],
  );
  const keys = new Map<string, SigningKey>();
  for (const { id, signingKey } of sealed) {
    if (signingKey === null) continue;
    try {
      keys.set(id, keyOfTokenDigest(decryptSigningDigest(secrets, { accountId, tokenId: id }, signingKey)));
    } catch (error) {
      ports.log.error({ accountId, tokenId: id, err: error }, 'The signing key of a token cannot be decrypted.');
      if (id === tokens.current) return 'undecryptable';
    }
  }
  const current = keys.get(tokens.current);
  if (current === undefined) return null;
  return {
    current,
    next: keys.get(tokens.next ?? '') ?? null,
    previous: keys.get(tokens.previous ?? '') ?? null,
    earlier: tokens.earlier.flatMap((id) => keys.get(id) ?? []),
  };
}

/**
 * Sets the next signing token. From now on this token signs in addition to the current one, and replaces the current
 * one after seven days.
 */
export async function rotateWebhookSigning(ctx: Context, input: { readonly tokenId: string }): Promise<void> {
  requireScope(ctx, 'admin');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await promoteIfDue(ctx, tx);
    const [token] = await tx.query<{ kind: string; signs_webhooks: boolean; revoked_at: string | null }>(
      'select kind, signs_webhooks, revoked_at from api_token where account_id = $1 and id = $2 for update',
      [ctx.accountId, input.tokenId],
    );
    if (token === undefined) throw notFound('API token');
    if (token.kind !== 'account' || token.revoked_at !== null)
      throw new DomainError(
        'BAD_INPUT',
        'That token cannot sign webhooks. Name an account token that is not revoked.',
        'input.token',
      );
    if (token.signs_webhooks)
      throw new DomainError('CONFLICT', 'That token already signs webhooks. Name another token.', 'input.token');
    await tx.send(
      `insert into webhook_signing (account_id, next_token_id, promote_at) values ($1, $2, $3)
       on conflict (account_id) do update set next_token_id = excluded.next_token_id, promote_at = excluded.promote_at`,
      [ctx.accountId, input.tokenId, new Date(ctx.clock().getTime() + promoteAfterMs).toISOString()],
    );
    await appendEvents(ctx, tx, [{ action: 'webhook_signing_rotated', payload: { tokenId: input.tokenId } }]);
    await recordUserAction(ctx, tx, { action: 'webhook_signing_rotated', target: null });
  });
}

/** Promotes the next signing token now. The token that it replaces signs in addition for a day. */
export async function promoteWebhookSigning(ctx: Context, input: { readonly tokenId: string }): Promise<void> {
  requireScope(ctx, 'admin');
  if ((await readApiToken(ctx, input.tokenId)) === null) throw notFound('API token');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rotation = await lockRotation(ctx, tx);
    if (rotation === null || rotation.next === null)
      throw new DomainError('CONFLICT', 'There is no next signing token. Call rotateWebhookSigning first.');
    // The caller named the next token. Another rotation may have replaced it in the meantime.
    if (rotation.next.token !== input.tokenId)
      throw new DomainError(
        'CONFLICT',
        'Another token is the next signing token. The query webhookSigning shows that token.',
        'input.token',
      );
    const promoteAt = Math.min(rotation.next.promoteAt, ctx.clock().getTime());
    await promote(ctx, tx, { ...rotation, next: { ...rotation.next, promoteAt } });
    await recordUserAction(ctx, tx, { action: 'webhook_signing_promoted', target: null });
  });
}

/**
 * Promotes the next signing token of an account if its seven days are over. Signatures do not depend on this write,
 * because they are computed from the time.
 */
export async function promoteDueSigning(ctx: Context): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => await promoteIfDue(ctx, tx));
}

async function promoteIfDue(ctx: Context, tx: Transaction): Promise<void> {
  const rotation = await lockRotation(ctx, tx);
  const promoteAt = rotation?.next?.promoteAt ?? Infinity;
  if (rotation !== null && promoteAt <= ctx.clock().getTime()) await promote(ctx, tx, rotation);
}

async function lockRotation(ctx: Context, tx: Transaction): Promise<Rotation | null> {
  await tx.query('select 1 from webhook_signing where account_id = $1 for update', [ctx.accountId]);
  const [row] = await tx.query<SigningRow>(signingRow, [ctx.accountId]);
  return row === undefined ? null : rotationOf(row);
}

async function promote(ctx: Context, tx: Transaction, rotation: Rotation): Promise<void> {
  const { current, next } = rotation;
  if (next === null) return;
  // Two statements make the change, so that at most one row is marked as signing at any time.
  await tx.send('update api_token set signs_webhooks = false where account_id = $1 and id = $2 and id <> $3', [
    ctx.accountId,
    current,
    next.token,
  ]);
  await tx.send('update api_token set signs_webhooks = true where account_id = $1 and id = $2', [
    ctx.accountId,
    next.token,
  ]);
  const [previous = null, ...earlier] = replacedTokensAfter(rotation, ctx.clock().getTime());
  const isoOf = ({ until }: ReplacedToken): string => new Date(until).toISOString();
  await tx.send(
    `update webhook_signing set next_token_id = null, promote_at = null,
       previous_token_id = $2, previous_until = $3, earlier_token_ids = $4, earlier_tokens_until = $5
     where account_id = $1`,
    [
      ctx.accountId,
      previous?.token ?? null,
      previous === null ? null : isoOf(previous),
      earlier.map(({ token }) => token),
      earlier.map(isoOf),
    ],
  );
  await appendEvents(ctx, tx, [{ action: 'webhook_signing_promoted', payload: { tokenId: next.token } }]);
}
