// Terminals that a browser signs in (docs/sign-in.md): the terminal keeps a secret and shows its digest, the browser's
// session gives a code for it, and the terminal exchanges both for a token of the person, once.
import { createHash, randomInt } from 'node:crypto';
import type { Context, Ports } from '../../context.ts';
import { terminalMinutes } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import { mayUse } from './authorisation.ts';
import { decrypt, digestToken, encrypt, isSameBytes, type Secrets } from './tokens.ts';
import { createApiToken } from './tokens.service.ts';
import type { RequestContext } from './user-actions.ts';

export interface TerminalRequest {
  /** SHA-256 of the terminal's secret, base64url (RFC 7636, S256). */
  readonly challenge: string;
  /** The name of the machine, as the terminal says it. */
  readonly name: string;
}

/** The session approves a terminal. Answers the code, which works once and for a few minutes. */
export async function approveTerminal(
  ctx: Context,
  secrets: Secrets,
  { challenge, name, sessionSecret }: TerminalRequest & { readonly sessionSecret: string },
): Promise<string> {
  const code = newCode();
  const digest = digestToken(secrets, code);
  const now = ctx.clock();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query('delete from terminal_sign_in where account_id = $1 and expires_at <= $2', [
      ctx.accountId,
      now.toISOString(),
    ]);
    await tx.query(
      `insert into terminal_sign_in (account_id, digest, challenge, name, session_secret, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        ctx.accountId,
        digest,
        challenge,
        name,
        encrypt(secrets, purposeOf(digest), Buffer.from(sessionSecret)),
        new Date(now.getTime() + terminalMinutes * 60_000).toISOString(),
      ],
    );
  });
  return code;
}

/**
 * The secret of the session that gave the code, for the terminal that keeps the verifier. Throws NOT_FOUND if the code
 * was used, is old, or belongs to another terminal; then it does not work any more.
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
      `This code was used already, is older than ${terminalMinutes} minutes, or belongs to another terminal. Log in again.`,
    );
  return { sessionSecret: decrypt(secrets, purposeOf(digest), row.sealed).toString(), name: row.name };
}

const daysOfToken = 90;

/**
 * A token for everything that the session may do. It ends after 90 days, and with the token that the session began
 * with.
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

// Without vowels, so that no words appear, and without letters that look alike (RFC 8628, 6.1).
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const groups = 3;
const groupLength = 4;

function newCode(): string {
  const group = (): string => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** Reads a code as people type it. */
function readCode(typed: string): string {
  const plain = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return (plain.match(/.{1,4}/g) ?? []).join('-');
}

function purposeOf(digest: Buffer): string {
  return `terminal-sign-in/${digest.toString('hex')}`;
}
