// Who sends a request: the user of the token in its Authorization header, or else of the session in its cookie. A
// request with an Authorization header ignores cookies. A session may only be used by pages of this service
// (docs/sign-in.md).
import type { IncomingHttpHeaders } from 'node:http';
import { awayMinutes, foreignOrigin } from '../domain/accounts/sign-in.ts';
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
  /** Throws UNAUTHENTICATED, or FORBIDDEN if a foreign page sends the request with a session of ours. */
  authenticate(request: CallersRequest, requestId: string): Promise<Session>;
  /** Throws FORBIDDEN unless a page of this service sends the request. */
  refuseForeign(request: CallersRequest): void;
  /** The secret of the session. Null: the request has no cookie of ours, or a token beside it. */
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
    const why = foreignOrigin({ publicUrl, method, isUpgrade, host, origin, fetchSite });
    if (why !== null) throw new DomainError('FORBIDDEN', `A session is for pages of this service. ${why}`);
  };
  return {
    sessionOf,
    refuseForeign,
    secretOf: (headers) =>
      headers.authorization === undefined ? sessionOf(headers) : presentedToken(headers.authorization),
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

/** Over https a cookie that no other host and no plain http can set. http is only for this machine. */
function cookieOf(publicUrl: string): Cookie {
  const isSecure = publicUrl.startsWith('https:');
  return {
    name: isSecure ? '__Host-interlock' : 'interlock',
    attributes: `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  };
}

/** The longest life of a session. The server ends it earlier. */
const longestSec = 7 * 24 * 3600;

export function sessionCookie(publicUrl: string, secret: string): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}=${secret}${attributes}; Max-Age=${longestSec}`;
}

export function noSessionCookie(publicUrl: string): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}=${attributes}; Max-Age=0`;
}

const awaySec = awayMinutes * 60;

/** The provider at which a browser signs in or out. */
export type SignInProvider = 'github' | 'oidc';

/** A cookie that the browser keeps while it is at the provider. Null deletes the cookie. */
export function signInCookie(publicUrl: string, at: SignInProvider, kept: string | null): string {
  const { name, attributes } = cookieOf(publicUrl);
  return `${name}-${at}=${kept ?? ''}${attributes}; Max-Age=${kept === null ? 0 : awaySec}`;
}

export function readSignInCookie(publicUrl: string, at: SignInProvider, header: string | undefined): string | null {
  return readCookie(header, `${cookieOf(publicUrl).name}-${at}`);
}

/** Null: there is none of this name. A browser sends cookies of one name only once for each path, and ours have one. */
function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split(/=(.*)/s);
    if (key === name && value !== '') return value;
  }
  return null;
}

/**
 * Admits people of GitHub and of the OpenID provider with the role that they have there now. This holds for every way
 * to sign in.
 */
export function askingAboutPeople(
  authenticator: Authenticator,
  { roleAtGitHub, confirmAtOidc }: { readonly roleAtGitHub: RoleOfPerson; readonly confirmAtOidc: ConfirmPerson },
): Authenticator {
  const admit = async <T extends Session>(session: T): Promise<T> => {
    const { ctx } = session;
    const { atGitHub } = ctx.actor;
    const role = atGitHub === null ? await confirmAtOidc(ctx) : await roleAtGitHub(ctx);
    if (role === null)
      throw new DomainError(
        'FORBIDDEN',
        `${atGitHub?.login ?? 'This user'} has no access to this account at GitHub any more.`,
      );
    return role === ctx.actor.role ? session : withRole(session, role);
  };
  return {
    ...authenticator,
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
