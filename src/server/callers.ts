// Finds the user who sends a request: the user of the token in the Authorization header, or else of the session in the
// cookie. If there is an Authorization header, cookies are ignored. Only pages of this service may use a session
// (docs/sign-in.md).
import type { IncomingHttpHeaders } from 'node:http';
import { providerVisitMinutes, explainForeignOrigin } from '../domain/accounts/sign-in.ts';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { presentedToken } from './wrong-tokens.ts';
import type { Role } from '../context.ts';
import type { RoleOfPerson } from '../modules/github/index.ts';
import type { ConfirmPerson } from '../modules/oidc/index.ts';

export interface CallersRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly isUpgrade?: boolean;
}

export interface Callers {
  /** Throws UNAUTHENTICATED, or FORBIDDEN if a page of another site sends the request with a session cookie. */
  authenticate(request: CallersRequest, requestId: string): Promise<Session>;
  /** Authenticates by a token that was used in the last seconds. Null: `authenticate` must decide. */
  known(request: CallersRequest, requestId: string): Session | null;
  /** Throws FORBIDDEN unless a page of this service sends the request. */
  refuseForeign(request: CallersRequest): void;
  /** The secret of the session. Null: the request has no session cookie, or has an Authorization header. */
  sessionOf(headers: IncomingHttpHeaders): string | null;
  /** The token or the secret of the session. Null: the request has neither. */
  secretOf(headers: IncomingHttpHeaders): string | null;
}

export function createCallers(authenticator: Authenticator, publicUrl: string): Callers {
  const { name } = cookieOf(publicUrl);
  const sessionOf: Callers['sessionOf'] = ({ authorization, cookie }) =>
    authorization === undefined ? readCookie(cookie, name) : null;
  const refuseForeign: Callers['refuseForeign'] = ({ method, headers, isUpgrade = false }) => {
    const { host, origin } = headers;
    const site = headers['sec-fetch-site'];
    const fetchSite = typeof site === 'string' ? site : undefined;
    const why = explainForeignOrigin({ publicUrl, method, isUpgrade, host, origin, fetchSite });
    if (why !== null) throw new DomainError('FORBIDDEN', `A session is for pages of this service. ${why}`);
  };
  return {
    sessionOf,
    refuseForeign,
    secretOf: (headers) =>
      headers.authorization === undefined ? sessionOf(headers) : presentedToken(headers.authorization),
    known: ({ headers }, requestId) => authenticator.authenticateKnown(headers.authorization, requestId),
    async authenticate(request, requestId) {
      const secret = sessionOf(request.headers);
      if (secret === null) return await authenticator.authenticate(request.headers.authorization, requestId);
      refuseForeign(request);
      return await authenticator.authenticateSession(secret, requestId);
    },
  };
}

interface Cookie {
  readonly name: string;
  readonly attributes: string;
}

/**
 * The session cookie. Over https, its name has the prefix `__Host-`, so that other hosts and plain http cannot set it.
 * Plain http is used only on the machine itself.
 */
function cookieOf(publicUrl: string): Cookie {
  const isSecure = publicUrl.startsWith('https:');
  return {
    name: isSecure ? '__Host-interlock' : 'interlock',
    attributes: `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  };
}

/** The longest life of the cookie. The server usually ends the session earlier. */
const longestSec = 7 * 24 * 3600;

export function sessionCookie(publicUrl: string, secret: string): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}=${secret}${attributes}; Max-Age=${longestSec}`;
}

export function noSessionCookie(publicUrl: string): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}=${attributes}; Max-Age=0`;
}

const awaySec = providerVisitMinutes * 60;

/** The provider at which a browser signs in or out. */
export type SignInProvider = 'github' | 'oidc';

/** The cookie that a browser has while it signs in at the provider. `kept` null deletes the cookie. */
export function signInCookie(publicUrl: string, at: SignInProvider, kept: string | null): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}-${at}=${kept ?? ''}${attributes}; Max-Age=${kept === null ? 0 : awaySec}`;
}

export function readSignInCookie(publicUrl: string, at: SignInProvider, header: string | undefined): string | null {
  return readCookie(header, `${cookieOf(publicUrl).name}-${at}`);
}

/**
 * Reads a cookie. Null: there is none of this name. All these cookies have the same path, so a browser sends each name
 * only once.
 */
function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split(/=(.*)/s);
    if (key === name && value !== '') return value;
  }
  return null;
}

/**
 * Wraps an authenticator so that people of GitHub and of the OpenID provider get the role that they have there at
 * present, with every kind of credential.
 */
export function withPresentRoles(
  authenticator: Authenticator,
  { roleAtGitHub, confirmAtOidc }: { readonly roleAtGitHub: RoleOfPerson; readonly confirmAtOidc: ConfirmPerson },
): Authenticator {
  const admit = async <T extends Session>(session: T): Promise<T> => {
    const { ctx } = session;
    const { personAtGitHub } = ctx.actor;
    const role = personAtGitHub === null ? await confirmAtOidc(ctx) : await roleAtGitHub(ctx);
    if (role === null)
      throw new DomainError(
        'FORBIDDEN',
        `${personAtGitHub?.login ?? 'This user'} has no access to this account at GitHub any more.`,
      );
    return role === ctx.actor.role ? session : withRole(session, role);
  };
  return {
    ...authenticator,
    authenticateKnown: (authorization, requestId) => {
      const session = authenticator.authenticateKnown(authorization, requestId);
      if (session === null) return null;
      const { personAtGitHub, hasOidcRole } = session.ctx.actor;
      return personAtGitHub === null && !hasOidcRole ? session : null;
    },
    authenticate: async (authorization, requestId) =>
      await admit(await authenticator.authenticate(authorization, requestId)),
    authenticateToken: async (token, requestId) => await admit(await authenticator.authenticateToken(token, requestId)),
    authenticateSession: async (secret, requestId, options) =>
      await admit(await authenticator.authenticateSession(secret, requestId, options)),
    authenticateEmbed: async (key, requestId) => await admit(await authenticator.authenticateEmbed(key, requestId)),
  };
}

function withRole<T extends Session>(session: T, role: Role): T {
  const { ctx } = session;
  return { ...session, ctx: { ...ctx, actor: { ...ctx.actor, role } } };
}
