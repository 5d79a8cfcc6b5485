// What the provider gave for a sign-in ends there too, once nothing here uses it any more: the person signed out, or the last
// session and the last token of the person ended in another way.
import type { Ports } from '../../context.ts';
import { OidcFailure } from '../../platform/oidc/index.ts';
import { claimUnusedRefreshTokens, forgetRefreshToken, type Secrets } from '../accounts/index.ts';
import type { Oidc } from './sign-in.ts';

/** A token that the provider did not take back is tried again in a minute. */
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
      ports.log.warn({ err: error, userId: unused.userId }, 'The OpenID provider did not take a refresh token back.');
    }
  }
}
