// The rules of signing in with a browser: where a request with a session may come from, how long a session lasts, and
// where a browser may be sent afterwards.

const hourMs = 3_600_000;
const idleMs = 12 * hourMs;
const longestMs = 7 * 24 * hourMs;
/** How long a sign-in link is valid. */
export const linkMinutes = 15;
/** How long the code that logs a terminal in is valid. */
export const terminalMinutes = 5;
/** How long a browser may be away at GitHub or at the OpenID provider to sign in there. */
export const awayMinutes = 10;

/** When a session ends if nothing uses it: 12 hours after its last use, 7 days after its start, and with its token. */
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

/** A valid session was used and started after these instants, with any token. */
export function lastingSince(now: Date): { readonly usedAfter: Date; readonly startedAfter: Date } {
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
 * Why a request may not use the session of its browser. Null: it may. What changes something, and sockets, must come
 * from a page of this service. A foreign page can send reads, but it cannot read their answers.
 */
export function foreignOrigin(request: RequestOrigin): string | null {
  const { method, isUpgrade, origin, fetchSite } = request;
  if (!isUpgrade && (method === 'GET' || method === 'HEAD')) return null;
  if (origin === undefined || !isOwnOrigin(request, origin))
    return `The Origin of this request must be ${new URL(request.publicUrl).origin}, not ${origin ?? 'absent'}.`;
  // Browsers send it with every request, except that some leave it out for a socket.
  if (fetchSite === 'same-origin' || (isUpgrade && fetchSite === undefined)) return null;
  return `Sec-Fetch-Site of this request must be same-origin, not ${fetchSite ?? 'absent'}.`;
}

// On this machine a server has several names and ports that lead to it, and the one of the request is its own.
export function isOwnOrigin({ publicUrl, host }: Pick<RequestOrigin, 'publicUrl' | 'host'>, origin: string): boolean {
  if (origin === new URL(publicUrl).origin) return true;
  return host !== undefined && isLoopback(host) && origin === `http://${host.toLowerCase()}`;
}

/** Whether a host, with or without its port, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host);
}

/** Whether nobody on the way can read a cookie: over https, or on this machine. */
export function isPrivateWay({ publicUrl, host }: Pick<RequestOrigin, 'publicUrl' | 'host'>): boolean {
  return publicUrl.startsWith('https:') || isLoopback(host ?? '');
}

/**
 * As the browser writes it, with letters beyond ASCII encoded. A cookie that is kept on the way to GitHub has 4,096
 * bytes.
 */
const longestPath = 2_000;

/**
 * Where a browser goes after it signed in: a path of this service, as the browser itself would read it. Everything else
 * becomes `/`, and so do the pages of signing in, except the page that logs a terminal in.
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
