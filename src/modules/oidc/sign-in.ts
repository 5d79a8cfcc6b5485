// The sign-in at the OpenID provider of the installation (docs/sign-in.md).
import type { Ports } from '../../context.ts';
import { decideOidcAccess, lacksClaims } from '../../domain/accounts/oidc.ts';
import type { OidcSettings } from '../../domain/accounts/oidc-settings.ts';
import { providerVisitMinutes } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  openOidcProvider,
  OidcFailure,
  type PendingAuthorization,
  type OidcProvider,
} from '../../platform/oidc/index.ts';
import { decrypt, encrypt, startOidcSession, type Secrets } from '../accounts/index.ts';

/** The provider of the installation, and the settings that give its people accounts and roles. */
export interface Oidc {
  readonly settings: OidcSettings;
  readonly provider: OidcProvider;
}

export function openOidc({ clock, publicUrl }: Pick<Ports, 'clock' | 'publicUrl'>, settings: OidcSettings): Oidc {
  const redirectUri = oidcRedirectUri(publicUrl);
  const provider = openOidcProvider({ ...settings, redirectUri, clock }, (claims) => lacksClaims(settings, claims));
  return { settings, provider };
}

/** The redirect URI, which the provider must know. */
function oidcRedirectUri(publicUrl: string): string {
  return `${publicUrl}/session/oidc/callback`;
}

interface Kept extends PendingAuthorization {
  readonly next: string;
  /** Null: the first account that the person's groups give. */
  readonly account: string | null;
  readonly until: number;
}

const purpose = 'oidc-sign-in';

/**
 * Begins a sign-in. Returns the address that the browser opens, and the encrypted state that the browser keeps in a
 * cookie meanwhile.
 */
export async function beginOidcSignIn(
  { clock }: Ports,
  secrets: Secrets,
  {
    provider,
    next,
    account,
  }: { readonly provider: OidcProvider; readonly next: string; readonly account: string | null },
): Promise<{ readonly url: string; readonly kept: string }> {
  const { url, kept } = await provider.begin().catch(asRefusal);
  const until = clock().getTime() + providerVisitMinutes * 60_000;
  const all: Kept = { ...kept, next, account, until };
  return { url, kept: encrypt(secrets, purpose, Buffer.from(JSON.stringify(all))).toString('base64url') };
}

/** Completes a sign-in. Returns the secret of the session, and the path that the browser opens next. */
export async function completeOidcSignIn(
  ports: Ports,
  secrets: Secrets,
  {
    oidc,
    kept: sealed,
    answer,
  }: { readonly oidc: Oidc; readonly kept: string | null; readonly answer: URLSearchParams },
): Promise<{ readonly secret: string; readonly next: string }> {
  const kept = openKept(secrets, sealed);
  if (kept === null || kept.until <= ports.clock().getTime())
    throw new DomainError(
      'BAD_INPUT',
      `This browser did not begin to sign in here in the last ${providerVisitMinutes} minutes. Begin again.`,
    );
  const identity = await oidc.provider.complete(answer, kept).catch((error: unknown) => {
    ports.log.warn({ err: error }, 'A sign-in at the OpenID provider failed.');
    return asRefusal(error);
  });
  const access = decideOidcAccess(oidc.settings, identity.claims, kept);
  if (access.kind === 'refused') throw new DomainError('FORBIDDEN', access.why);
  const { issuer } = oidc.settings;
  const secret = await startOidcSession(ports, secrets, { ...identity, ...access, issuer });
  return { secret, next: kept.next };
}

/** The decrypted state of the browser. Null: this installation of Interlock has not encrypted it. */
function openKept(secrets: Secrets, sealed: string | null): Kept | null {
  try {
    return JSON.parse(decrypt(secrets, purpose, Buffer.from(sealed ?? '', 'base64url')).toString()) as Kept;
  } catch {
    return null;
  }
}

/** Throws a failure of the provider as a DomainError, and any other error unchanged. */
export function asRefusal(error: unknown): never {
  if (!(error instanceof OidcFailure)) throw error;
  throw new DomainError(error.kind === 'unreachable' ? 'HOST_UNAVAILABLE' : 'FORBIDDEN', error.message);
}
