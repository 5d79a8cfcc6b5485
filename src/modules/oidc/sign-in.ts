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

/** The OpenID provider of the installation, and the settings that say which accounts and roles a person gets. */
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

interface SignInState extends PendingAuthorization {
  readonly next: string;
  /** Null: the first account that the rules give to a group of the person. */
  readonly account: string | null;
  readonly until: number;
}

const purpose = 'oidc-sign-in';

/**
 * Begins a sign-in. Returns the address that the browser opens, and the encrypted state that the browser keeps in a
 * cookie during the sign-in.
 */
export async function beginOidcSignIn(
  { clock }: Ports,
  secrets: Secrets,
  {
    provider,
    next,
    account,
  }: { readonly provider: OidcProvider; readonly next: string; readonly account: string | null },
): Promise<{ readonly url: string; readonly cookie: string }> {
  const { url, kept } = await provider.begin().catch(throwAsDomainError);
  const until = clock().getTime() + providerVisitMinutes * 60_000;
  const signIn: SignInState = { ...kept, next, account, until };
  return { url, cookie: encrypt(secrets, purpose, Buffer.from(JSON.stringify(signIn))).toString('base64url') };
}

/** Completes a sign-in. Returns the secret of the session, and the path that the browser opens next. */
export async function completeOidcSignIn(
  ports: Ports,
  secrets: Secrets,
  { oidc, cookie, answer }: { readonly oidc: Oidc; readonly cookie: string | null; readonly answer: URLSearchParams },
): Promise<{ readonly secret: string; readonly next: string }> {
  const signIn = openSignIn(secrets, cookie);
  if (signIn === null || signIn.until <= ports.clock().getTime())
    throw new DomainError(
      'BAD_INPUT',
      `This browser did not begin to sign in here in the last ${providerVisitMinutes} minutes. Begin again.`,
    );
  const identity = await oidc.provider.complete(answer, signIn).catch((error: unknown) => {
    ports.log.warn({ err: error }, 'A sign-in at the OpenID provider failed.');
    return throwAsDomainError(error);
  });
  const access = decideOidcAccess(oidc.settings, identity.claims, signIn);
  if (access.kind === 'refused') throw new DomainError('FORBIDDEN', access.why);
  const { issuer } = oidc.settings;
  const secret = await startOidcSession(ports, secrets, { ...identity, ...access, issuer });
  return { secret, next: signIn.next };
}

/**
 * Decrypts the state of the sign-in from the cookie. Null: there is no cookie, or this installation of Interlock did
 * not encrypt it.
 */
function openSignIn(secrets: Secrets, cookie: string | null): SignInState | null {
  try {
    return JSON.parse(decrypt(secrets, purpose, Buffer.from(cookie ?? '', 'base64url')).toString()) as SignInState;
  } catch {
    return null;
  }
}

/** Throws a failure of the provider as a DomainError, and any other error unchanged. */
export function throwAsDomainError(error: unknown): never {
  if (!(error instanceof OidcFailure)) throw error;
  throw new DomainError(error.kind === 'unreachable' ? 'HOST_UNAVAILABLE' : 'FORBIDDEN', error.message);
}
