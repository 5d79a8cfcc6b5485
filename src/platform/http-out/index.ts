// The one client for addresses that users give us. It is node:http on purpose: the agent checks the address that a
// connection really goes to, and only there; `fetch` would resolve the name once more, behind its back.
// No client library stands before it: got and axios take such an agent, but neither answers with the beginning of a
// body that is too long.
import http, { type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { inSpan } from '../tracing/index.ts';
import { connectionReset, exchange, unanswered, type Exchanged, type ExchangeLimits } from './exchange.ts';

export interface HttpOut {
  /**
   * Sends the very bytes of `body`, once. Never throws: what went wrong is in the answer. Redirects are not followed.
   */
  post(request: PostRequest): Promise<HttpAnswer>;
  /** By any method, with as much of the answer as the request wants. Never throws, and follows no redirect either. */
  send(request: OutRequest): Promise<Exchanged>;
  close(): void;
}

export interface OutRequest extends PostRequest {
  readonly method: string;
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
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
const idleConnectionMs = 3_000;

export function createHttpOut({ allowPrivateAddresses, lookup }: HttpOutOptions): HttpOut {
  const options = {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    // As many as there are attempts at one endpoint at once, so that the next ones need no new connection.
    maxFreeSockets: 8,
    // Before receivers close what is idle, five seconds as a rule: a request sent into a closing connection has failed.
    timeout: idleConnectionMs,
    allowPrivateIPAddress: allowPrivateAddresses,
    allowMetaIPAddress: allowPrivateAddresses,
    // IPv4 addresses in IPv6, in a form that is out of use and that the agent takes for public.
    denyIPAddressList: allowPrivateAddresses ? [] : ['::/96'],
  };
  const agents = { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };

  function open({ url, headers, body, method }: PostRequest & { readonly method: string }): ClientRequest {
    const isBare = body.length === 0 && (method === 'GET' || method === 'HEAD');
    const settings = {
      method,
      headers: { ...headers, ...(!isBare && { 'content-length': body.length }) },
      ...(lookup === undefined ? {} : { lookup }),
    };
    return new URL(url).protocol === 'https:'
      ? https.request(url, { ...settings, agent: agents.https })
      : http.request(url, { ...settings, agent: agents.http });
  }

  return {
    async post(request) {
      const startedAt = performance.now();
      const limits = { timeoutMs: request.timeoutMs, mostBytes: mostAnswerBytes };
      const exchanged = await inSpan(
        'HTTP POST',
        { kind: 'client' },
        async () => await exchangeOnce(() => open({ ...request, method: 'POST' }), request.body, limits),
      );
      return {
        status: exchanged.status,
        headers: headersOf(exchanged.headers),
        body: textOf(exchanged.body),
        error: exchanged.error,
        durationMs: Math.round(performance.now() - startedAt),
      };
    },
    send: async (request) =>
      isRepeatable(request)
        ? await exchangeOnLiveSocket(() => open(request), request.body, request)
        : await exchangeOnce(() => open(request), request.body, request),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** Whether to send it twice is to send it once (RFC 9110, 9.2.2). */
function isRepeatable({ method, headers }: OutRequest): boolean {
  return repeatable.has(method) || Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
}

async function exchangeOnce(open: () => ClientRequest, body: Buffer, limits: ExchangeLimits): Promise<Exchanged> {
  try {
    return await exchange(open(), body, limits);
  } catch (error) {
    return unanswered(error);
  }
}

// A kept connection may have been closed by the other side in this very moment: such a request begins once more.
// Whether the other side has read it nobody knows, so the request must be safe to repeat.
async function exchangeOnLiveSocket(
  open: () => ClientRequest,
  body: Buffer,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  try {
    const first = open();
    const exchanged = await exchange(first, body, limits);
    const isStale = exchanged.status === null && exchanged.error === connectionReset && first.reusedSocket;
    return isStale ? await exchange(open(), body, limits) : exchanged;
  } catch (error) {
    return unanswered(error);
  }
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, String(value).slice(0, mostHeaderBytes)] as const,
  );
  return Object.fromEntries(entries.slice(0, 50));
}

// PostgreSQL's text holds no NUL.
function textOf(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\u{FFFD}');
}
