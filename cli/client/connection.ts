// Chooses the service that a command calls, and the token. docs/command-line.md describes the order of the sources.

export interface Login {
  readonly token: string;
  /** The user of the token, as the service named it at `login`. */
  readonly user: string;
  /**
   * Whether `login` got the token through a browser. False or left out: the user typed the token, which may be in use
   * elsewhere.
   */
  readonly isOwn?: boolean;
}

export interface Logins {
  /** The address of the last login. Null: there was no login. */
  readonly latest: string | null;
  readonly byAddress: Readonly<Record<string, Login>>;
}

/** The content of `access.json` of a running service. */
export interface RunningService {
  readonly url: string;
  readonly token: string;
}

export interface Sources {
  /** The value of `--url`. */
  readonly flag: string | null;
  /** The value of INTERLOCK_URL. */
  readonly urlVariable: string | null;
  /** The value of INTERLOCK_TOKEN. */
  readonly tokenVariable: string | null;
  readonly logins: Logins;
  /** Null: no service runs on the data directory. */
  readonly running: RunningService | null;
}

export type Choice =
  | { readonly kind: 'connection'; readonly url: string; readonly token: string }
  | { readonly kind: 'no token'; readonly url: string }
  | { readonly kind: 'no address' };

/** Chooses the address and the token. A token that was stored for an address is sent only to that address. */
export function chooseConnection({ flag, urlVariable, tokenVariable, logins, running }: Sources): Choice {
  const url = originOf(flag ?? urlVariable ?? logins.latest ?? running?.url ?? null);
  if (url === null) return { kind: 'no address' };
  const stored = logins.byAddress[url]?.token;
  const ofRunning = running !== null && originOf(running.url) === url ? running.token : '';
  const token = tokenVariable ?? stored ?? ofRunning;
  return token === '' ? { kind: 'no token', url } : { kind: 'connection', url, token };
}

/** Removes slashes at the end of an address, so that each service has only one entry in the logins. */
export function originOf(url: string): string;
export function originOf(url: string | null): string | null;
export function originOf(url: string | null): string | null {
  return url === null ? null : url.trim().replace(/\/+$/, '');
}

/** Reads the address of a service from a text that a user wrote. Null: the text is not such an address. */
export function readAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, search, hash } = new URL(text);
  const isPlain = username === '' && search === '' && hash === '';
  return (protocol === 'http:' || protocol === 'https:') && isPlain ? originOf(text) : null;
}

/** Whether others could read the connection, because it is not encrypted and leaves this machine. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
