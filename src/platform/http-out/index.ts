// The one client for addresses that users give us. It is node:http on purpose: the agent checks the address that a
// connection really goes to, and only there; `fetch` would resolve the name once more, behind its back.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface HttpOut {
  /** Sends the very bytes of `body`. Never throws: what went wrong is in the answer. Redirects are not followed. */
  post(request: PostRequest): Promise<HttpAnswer>;
  close(): void;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** For all of it, from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  /** Null without an answer; `error` says why. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of it. */
  readonly body: string;
  /** A sentence without addresses: what a name resolves to inside is nobody's business. */
  readonly error: string | null;
  readonly durationMs: number;
}

export interface HttpOutOptions {
  /** Private, loopback and link-local addresses too: only where every user of the installation may reach them. */
  readonly allowPrivateAddresses: boolean;
  /** Another resolver than the system's. What it answers is checked all the same. */
  readonly lookup?: LookupFunction;
}

const mostAnswerBytes = 16 * 1024;
const mostHeaderBytes = 1024;
const connectionsPerHost = 32;

export function createHttpOut({ allowPrivateAddresses, lookup }: HttpOutOptions): HttpOut {
  const options = {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    maxFreeSockets: 4,
    allowPrivateIPAddress: allowPrivateAddresses,
    allowMetaIPAddress: allowPrivateAddresses,
  };
  const agents = { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };

  function open({ url, headers, body }: PostRequest): ClientRequest {
    const settings = {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      ...(lookup === undefined ? {} : { lookup }),
    };
    return new URL(url).protocol === 'https:'
      ? https.request(url, { ...settings, agent: agents.https })
      : http.request(url, { ...settings, agent: agents.http });
  }

  return {
    async post(request) {
      const startedAt = performance.now();
      const told = await exchangeOnLiveSocket(open, request);
      return { ...told, durationMs: Math.round(performance.now() - startedAt) };
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Told = Omit<HttpAnswer, 'durationMs'>;

// A kept connection may have been closed by the other side in this very moment: such a request begins once more.
async function exchangeOnLiveSocket(
  open: (request: PostRequest) => ClientRequest,
  request: PostRequest,
): Promise<Told> {
  try {
    const first = open(request);
    const told = await exchange(first, request);
    const isStale = told.status === null && told.error === sentences['ECONNRESET'] && first.reusedSocket;
    return isStale ? await exchange(open(request), request) : told;
  } catch (error) {
    return { status: null, headers: {}, body: '', error: sentenceOf(error as Error) };
  }
}

async function exchange(request: ClientRequest, { body, timeoutMs }: PostRequest): Promise<Told> {
  return await new Promise<Told>((resolve) => {
    let answer: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (error: string | null): void => {
      clearTimeout(timer);
      resolve({
        status: answer?.statusCode ?? null,
        headers: headersOf(answer),
        body: textOf(chunks),
        error: answer === undefined ? error : null,
      });
    };
    const timer = setTimeout(() => {
      end(`There was no answer within ${timeoutMs / 1000} s.`);
      request.destroy();
    }, timeoutMs);
    request.on('error', (error) => end(sentenceOf(error)));
    request.on('response', (response) => {
      answer = response;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < mostAnswerBytes) return;
        // The status has decided. An endless answer is no reason to wait.
        end(null);
        request.destroy();
      });
      response.on('end', () => end(null));
      response.on('error', () => end(null));
    });
    request.end(body);
  });
}

function headersOf(answer: IncomingMessage | undefined): Record<string, string> {
  const entries = Object.entries(answer?.headers ?? {}).map(
    ([name, value]) => [name, String(value).slice(0, mostHeaderBytes)] as const,
  );
  return Object.fromEntries(entries.slice(0, 50));
}

// PostgreSQL's text holds no NUL.
function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, mostAnswerBytes).toString('utf8').replaceAll('\0', '\u{FFFD}');
}

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before there was an answer.',
  ENOTFOUND: 'The name of the host does not resolve.',
  EAI_AGAIN: 'The name of the host could not be resolved at this time.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
};

function sentenceOf(error: NodeJS.ErrnoException): string {
  if (/is not allowed\. Because/.test(error.message))
    return 'The address is private, loopback or link-local: this installation does not send there.';
  const code = error.code ?? '';
  return (
    sentences[code] ??
    (/CERT|SSL|TLS/i.test(code) ? `TLS failed: ${code}.` : `The request failed: ${code || 'no reason is known'}.`)
  );
}
