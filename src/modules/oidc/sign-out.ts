// The sign-out at the OpenID provider, after the session at Interlock has ended.
import type { Context, Ports } from '../../context.ts';
import { providerVisitMinutes } from '../../domain/accounts/sign-in.ts';
import {
  decrypt,
  encrypt,
  readIdToken,
  type Secrets,
  claimUnusedRefreshTokens,
  forgetRefreshToken,
} from '../accounts/index.ts';
import { throwAsDomainError, type Oidc } from './sign-in.ts';
import { OidcFailure } from '../../platform/oidc/index.ts';

interface EndedSession {
  readonly accountId: string;
  readonly sessionId: string;
  readonly until: number;
}

const purpose = 'oidc-sign-out';

/**
 * Returns the encrypted text by which the browser can sign out at the provider after its session has ended. Null: the
 * session did not begin at the provider.
 */
export async function beginOidcSignOut(ctx: Context, secrets: Secrets): Promise<string | null> {
  const { accountId } = ctx;
  const { sessionId } = ctx.actor;
  if (sessionId === null || (await readIdToken(ctx, secrets, { accountId, sessionId })) === null) return null;
  const ended: EndedSession = { accountId, sessionId, until: ctx.clock().getTime() + providerVisitMinutes * 60_000 };
  return encrypt(secrets, purpose, Buffer.from(JSON.stringify(ended))).toString('base64url');
}

/**
 * Returns the address where the browser ends its session at the provider. Null: the browser has not just ended a
 * session of the provider, or the provider has no page for this.
 */
export async function oidcSignOutUrl(
  ports: Ports,
  secrets: Secrets,
  { oidc, cookie }: { readonly oidc: Oidc; readonly cookie: string | null },
): Promise<string | null> {
  const ended = openEnded(ports, secrets, cookie);
  if (ended === null) return null;
  const idToken = await readIdToken(ports, secrets, ended);
  return await oidc.provider.signOutUrl(`${ports.publicUrl}/session`, idToken).catch(throwAsDomainError);
}

/** Whether the browser has just ended a session that began at the provider. */
export function hasOidcSignOut(ports: Ports, secrets: Secrets, cookie: string | null): boolean {
  return openEnded(ports, secrets, cookie) !== null;
}

function openEnded({ clock }: Ports, secrets: Secrets, sealed: string | null): EndedSession | null {
  try {
    const opened = decrypt(secrets, purpose, Buffer.from(sealed ?? '', 'base64url')).toString();
    const ended = JSON.parse(opened) as EndedSession;
    return ended.until > clock().getTime() ? ended : null;
  } catch {
    return null;
  }
}

/**
 * Revokes refresh tokens that are no longer used, because the last session and the last token of the person have ended.
 * A failed revocation is tried again after a minute.
 */
export async function revokeUnusedTokens(
  ports: Pick<Ports, 'db' | 'clock' | 'log'>,
  secrets: Secrets,
  { settings, provider }: Oidc,
): Promise<void> {
  for (const unused of await claimUnusedRefreshTokens(ports, secrets, settings.issuer)) {
    try {
      await provider.revoke(unused.token);
      await forgetRefreshToken(ports, unused);
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      ports.log.warn({ err: error, userId: unused.userId }, 'The OpenID provider did not revoke a refresh token.');
    }
  }
}
