// The rules of signing in with a browser: where a request with a session may come from, how long a session lasts, and
// where a browser may be sent afterwards.

const hourMs = 3_600_000;
const idleMs = 12 * hourMs;
const longestMs = 7 * 24 * hourMs;
/** How long a sign-in link is valid. */
export const signInLinkMinutes = 15;
/** How long the code that logs a terminal in is valid. */
export const terminalCodeMinutes = 5;
/** How long a person may take to sign in or out at GitHub or at the OpenID provider. */
export const providerVisitMinutes = 10;

/**
 * When a session ends unless it is used again: 12 hours after its last use, 7 days after its start, or with its token,
 * whichever is first.
 */
export function sessionEndsAt({
  startedAt,
  usedAt,
  tokenExpiresAt,
}: {
  readonly startedAt: Date;
  readonly usedAt: Date;
  /** When the token of the session expires. Null: the session has no token, or a token that does not expire. */
  readonly tokenExpiresAt: Date | null;
}): Date {
  const ends = [usedAt.getTime() + idleMs, startedAt.getTime() + longestMs];
  if (tokenExpiresAt !== null) ends.push(tokenExpiresAt.getTime());
  return new Date(Math.min(...ends));
}

/**
 * A session has ended if it was last used before `usedAfter` or started before `startedAfter`. The end of its token,
 * which may be earlier, is not considered.
 */
export function earliestValidSession(now: Date): { readonly usedAfter: Date; readonly startedAfter: Date } {
  return { usedAfter: new Date(now.getTime() - idleMs), startedAfter: new Date(now.getTime() - longestMs) };
}

export interface RequestOrigin {
  /** The address of the service, as INTERLOCK_PUBLIC_URL says. */
  readonly publicUrl: string;
  readonly method: string;
  /** Whether the connection becomes a WebSocket. */
  readonly isUpgrade: boolean;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Returns why a request may not use the session of its browser. Null: the request may use it. Changes and WebSockets
 * must come from a page of this service. A foreign page can send reads, but it cannot see their answers.
 */
export function explainForeignOrigin(request: RequestOrigin): string | null {
  const { method, isUpgrade, origin, fetchSite } = request;
  if (!isUpgrade && (method === 'GET' || method === 'HEAD')) return null;
  if (origin === undefined || !isOwnOrigin(request, origin))
    return `The Origin of this request must be ${new URL(request.publicUrl).origin}, not ${origin ?? 'absent'}.`;
  // Browsers send Sec-Fetch-Site with every request. Only for a WebSocket some browsers omit it.
  if (fetchSite === 'same-origin' || (isUpgrade && fetchSite === undefined)) return null;
  return `Sec-Fetch-Site of this request must be same-origin, not ${fetchSite ?? 'absent'}.`;
}

// A server on this machine is reached by several names and ports. So if the host of the request is this machine, an
// origin with the same host is the service's own.
export function isOwnOrigin({ publicUrl, host }: Pick<RequestOrigin, 'publicUrl' | 'host'>, origin: string): boolean {
  if (origin === new URL(publicUrl).origin) return true;
  return host !== undefined && isLoopback(host) && origin === `http://${host.toLowerCase()}`;
}

/** Whether a host, with or without its port, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);
}

/** Whether nobody between browser and service can read a cookie, because it is sent by https or within this machine. */
export function isSecureConnection({ publicUrl, host }: Pick<RequestOrigin, 'publicUrl' | 'host'>): boolean {
  return publicUrl.startsWith('https:') || isLoopback(host ?? '');
}

/**
 * The longest path that a browser is sent to, in characters of the encoded path. The path is kept in a cookie during a
 * sign-in at GitHub or at the OpenID provider, and a cookie has at most 4,096 bytes.
 */
const longestPath = 2_000;

/**
 * Returns the path to which a browser is sent after the sign-in: `next`, if a browser would read it as a path of this
 * service, otherwise `/`. The pages of signing in become `/` too, except the page that logs a terminal in.
 */
export function safePath(next: string | null | undefined): string {
  const own = 'http://own.invalid';
  if (next === null || next === undefined) return '/';
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next) || !URL.canParse(next, own)) return '/';
  const { origin, pathname, search, hash } = new URL(next, own);
  if (origin !== own || pathname.startsWith('//') || /^\/session(?:\/(?!terminal$)|$)/.test(pathname)) return '/';
  const path = `${pathname}${search}${hash}`;
  return path.length > longestPath ? '/' : path;
}
