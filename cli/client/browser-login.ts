// Gets a token through a browser that is signed in. The terminal makes a secret, and the browser returns a code. The
// terminal exchanges the code and the secret for a token.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { hostname } from 'node:os';
import { Failure } from '../output/failure.ts';
import { readSecret, type Io } from '../output/io.ts';

export interface BrowserLogin {
  readonly address: string;
  /**
   * Whether a browser is opened on this machine. If false, the user opens the printed link on any machine, and types
   * the code that the page shows.
   */
  readonly opensBrowser: boolean;
  readonly printProgress: (text: string) => void;
}

/** How long the terminal waits for the browser. */
const answerWithinMinutes = 10;

/** Returns the token. */
export async function logInByBrowser(io: Io, { address, opensBrowser, printProgress }: BrowserLogin): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const page = `${address}/session/terminal?${new URLSearchParams({ challenge, name: hostname() }).toString()}`;
  const code = opensBrowser
    ? await receiveCode(io, { page, challenge, printProgress })
    : await askForCode(io, { page, printProgress });
  return await exchange(io, { address, code, verifier });
}

async function askForCode(
  io: Io,
  { page, printProgress }: { readonly page: string; readonly printProgress: (text: string) => void },
): Promise<string> {
  printProgress(`Open this page in a browser, on any machine:\n  ${page}`);
  const code = await readSecret(io, 'Code that the page shows: ');
  if (code === '') throw new Failure('usage', 'No code was given. Type the code that the page shows.');
  return code;
}

async function receiveCode(
  io: Io,
  {
    page,
    challenge,
    printProgress,
  }: { readonly page: string; readonly challenge: string; readonly printProgress: (text: string) => void },
): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    const url = `${page}&port=${typeof address === 'object' ? address?.port : 0}`;
    printProgress(`Continue in your browser. If no page opens, open this page on this machine:\n  ${url}`);
    const waiting = awaitCode(server, challenge, io.signal);
    await io.openPage(url).catch(() => undefined);
    return await waiting;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function awaitCode(server: Server, challenge: string, interrupted: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(answerWithinMinutes * 60_000)]);
  return await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () =>
      reject(
        new Failure(
          'failed',
          `No browser answered within ${answerWithinMinutes} minutes. Log in again, or log in with --no-browser.`,
        ),
      ),
    );
    server.on('request', (request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const code = searchParams.get('code');
      const isFromInterlock = searchParams.get('state') === challenge && code !== null;
      response.writeHead(isFromInterlock ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        connection: 'close',
      });
      response.end(
        isFromInterlock ? 'The terminal continues. You can close this page.\n' : 'There is no page at this address.\n',
      );
      if (isFromInterlock) response.once('finish', () => resolve(code));
    });
  });
}

async function exchange(
  { signal }: Io,
  { address, code, verifier }: { readonly address: string; readonly code: string; readonly verifier: string },
): Promise<string> {
  const url = `${address}/session/terminal/token`;
  const body = new URLSearchParams({ code, code_verifier: verifier });
  const response = await fetch(url, { method: 'POST', body, signal }).catch((error: unknown) => {
    throw new Failure(
      'unreachable',
      `${address} did not answer (${String((error as Error).cause ?? error)}). Try again.`,
    );
  });
  const answer = (await response.json().catch(() => ({}))) as { readonly token?: string; readonly error?: string };
  if (answer.token !== undefined) return answer.token;
  throw new Failure(
    'unauthorised',
    answer.error ?? `${address} gave no token (status ${response.status}). Log in with --with-token.`,
  );
}
