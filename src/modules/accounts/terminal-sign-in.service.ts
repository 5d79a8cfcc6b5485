// Signs a terminal in through a browser (docs/sign-in.md). The terminal keeps a secret and shows its digest. The
// browser's session approves the digest and gets a code. The terminal exchanges the secret and the code for a token of
// the person, once.
import { createHash, randomInt } from 'node:crypto';
import type { Context, Ports } from '../../context.ts';
import { terminalCodeMinutes } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import { mayUse } from './authorisation.ts';
import { decrypt, digestToken, encrypt, isSameBytes, type Secrets } from './tokens.ts';
import { createApiToken } from './tokens.service.ts';
import type { RequestContext } from './user-actions.ts';

export interface TerminalRequest {
  /** SHA-256 of the terminal's secret, base64url (RFC 7636, S256). */
  readonly challenge: string;
  /** The name of the machine, as the terminal reports it. */
  readonly name: string;
}

/** Approves a terminal for the session in use. Returns the code, which works once and for a few minutes. */
export async function approveTerminal(
  ctx: Context,
  secrets: Secrets,
  { challenge, name, sessionSecret }: TerminalRequest & { readonly sessionSecret: string },
): Promise<string> {
  const code = newCode();
  const digest = digestToken(secrets, code);
  const now = ctx.clock();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send('delete from terminal_sign_in where account_id = $1 and expires_at <= $2', [
      ctx.accountId,
      now.toISOString(),
    ]);
    await tx.send(
      `insert into terminal_sign_in (account_id, digest, challenge, name, session_secret, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        ctx.accountId,
        digest,
        challenge,
        name,
        encrypt(secrets, purposeOf(digest), Buffer.from(sessionSecret)),
        new Date(now.getTime() + terminalCodeMinutes * 60_000).toISOString(),
      ],
    );
  });
  return code;
}

/**
 * Returns the secret of the session that approved the terminal. `verifier` is the terminal's secret. Throws NOT_FOUND
 * if the code was used, has expired, or belongs to another terminal. In every case the code does not work again.
 */
export async function takeTerminalSession(
  { db, clock }: Ports,
  secrets: Secrets,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Promise<{ readonly sessionSecret: string; readonly name: string }> {
  const digest = digestToken(secrets, readCode(code));
  const [row] = await db.system.query<{ challenge: string; name: string; sealed: Buffer }>(
    `update terminal_sign_in set used_at = $2 where digest = $1 and used_at is null and expires_at > $2
     returning challenge, name, session_secret as sealed`,
    [digest, clock().toISOString()],
  );
  const given = createHash('sha256').update(verifier).digest('base64url');
  if (row === undefined || !isSameBytes(Buffer.from(given), Buffer.from(row.challenge)))
    throw new DomainError(
      'NOT_FOUND',
      `This code was used already, is older than ${terminalCodeMinutes} minutes, or belongs to another terminal. Log in again.`,
    );
  return { sessionSecret: decrypt(secrets, purposeOf(digest), row.sealed).toString(), name: row.name };
}

const daysOfToken = 90;

/**
 * Creates a token with every scope that the session may use. The token ends after 90 days, or earlier with the token by
 * which the session began.
 */
export async function createTerminalToken(
  ctx: Context & Partial<RequestContext>,
  secrets: Secrets,
  name: string,
): Promise<string> {
  const { role, scopes, tokenId } = ctx.actor;
  const [maker] = await ctx.db.system.query<{ expiresAt: Date | null }>(
    'select expires_at as "expiresAt" from api_token where account_id = $1 and id = $2',
    [ctx.accountId, tokenId],
  );
  const ends = [ctx.clock().getTime() + daysOfToken * 24 * 3_600_000];
  if (maker?.expiresAt) ends.push(new Date(maker.expiresAt).getTime());
  const { token } = await createApiToken(ctx, secrets, {
    name: `Terminal ${name}`.slice(0, 100),
    kind: 'user',
    scopes: [...scopes].filter((scope) => mayUse(role, scope)),
    expiresAt: new Date(Math.min(...ends)),
  });
  return token;
}

// The letters of a code. Vowels are left out so that no words appear, and letters that look alike are left out too (RFC
// 8628, 6.1).
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const groups = 3;
const groupLength = 4;

function newCode(): string {
  const group = (): string => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** The code that a person typed, with any spacing and in any case. */
function readCode(typed: string): string {
  const plain = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return (plain.match(/.{1,4}/g) ?? []).join('-');
}

function purposeOf(digest: Buffer): string {
  return `terminal-sign-in/${digest.toString('hex')}`;
}
