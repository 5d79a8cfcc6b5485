// The parameters that a terminal puts into the address that a browser opens to log the terminal in.

export interface TerminalAddress {
  /** SHA-256 of the terminal's secret, base64url (RFC 7636, S256). */
  readonly challenge: string;
  /** The name of the terminal's machine, as the terminal gives it. */
  readonly name: string;
  /** Where the terminal listens on the browser's machine. Null: the person carries the code to the terminal. */
  readonly port: number | null;
}

/** Reads the parameters. Null: the parameters are not those of a terminal. */
export function readTerminalAddress(given: URLSearchParams): TerminalAddress | null {
  const challenge = given.get('challenge') ?? '';
  const port = given.get('port');
  if (!/^[\w-]{43}$/.test(challenge)) return null;
  if (port !== null && !/^[1-9]\d{0,4}$/.test(port)) return null;
  const number = port === null ? null : Number(port);
  if (number !== null && (number < 1024 || number > 65_535)) return null;
  const name = (given.get('name') ?? '').replaceAll(/[^\w.-]/g, '').slice(0, 60);
  return { challenge, name: name === '' ? 'unnamed' : name, port: number };
}

/** The address on the browser's own machine to which the browser takes the code. */
export function terminalUrl(
  port: number,
  { code, challenge }: { readonly code: string; readonly challenge: string },
): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ code, state: challenge }).toString()}`;
}
