// The HTTP client for all addresses that users enter. It uses node:http, because there an agent can check the IP
// address to which a connection is really made. With `fetch`, the name would be resolved again after the check. got and
// axios accept such an agent, but cannot return the beginning of a body that is too long.
import http, { type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { inSpan } from '../tracing/index.ts';
import { connectionReset, exchange, failedExchange, type HttpExchange, type ExchangeLimits } from './exchange.ts';

export interface HttpOut {
  /**
   * Sends a POST with exactly the bytes of `body`, once. Never throws: a failure is in `error` of the answer. Redirects
   * are not followed.
   */
  post(request: PostRequest): Promise<HttpAnswer>;
  /**
   * Sends a request of any method, and reads at most `maxBytes` of the answer. Never throws, and does not follow
   * redirects.
   */
  send(request: OutRequest): Promise<HttpExchange>;
  close(): void;
}

export interface OutRequest extends PostRequest {
  readonly method: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The time limit from the look-up of the host name to the last byte of the answer. */
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  /** Null: there was no answer, and `error` says why. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the answer's body, at most 16 KiB. */
  readonly body: string;
  /**
   * A sentence without IP addresses, because users must not learn to which internal address a name resolves. Null:
   * there was an answer.
   */
  readonly error: string | null;
  readonly durationMs: number;
}

export interface HttpOutOptions {
  /**
   * Whether private, loopback and link-local addresses may be called. Set it only if every user of the installation may
   * reach them.
   */
  readonly allowPrivateAddresses: boolean;
  /** Replaces the system's resolver. The addresses that it returns are checked too. */
  readonly lookup?: LookupFunction;
}

const maxAnswerBytes = 16 * 1024;
const maxHeaderBytes = 1024;
const connectionsPerHost = 32;
const idleConnectionMs = 3_000;

/** The options of the agents, which keep connections and refuse addresses. */
function agentOptions(allowPrivateAddresses: boolean) {
  return {
    keepAlive: true,
    maxSockets: connectionsPerHost,
    // The number of attempts at one endpoint at the same time, so that later attempts reuse these connections.
    maxFreeSockets: 8,
    // Most servers close idle connections after 5 seconds. They are closed here earlier, because a request on a
    // connection that the server is closing fails.
    timeout: idleConnectionMs,
    allowPrivateIPAddress: allowPrivateAddresses,
    allowMetaIPAddress: allowPrivateAddresses,
    // IPv4 addresses in the obsolete IPv4-compatible form of IPv6, which the agent would take for public addresses.
    denyIPAddressList: allowPrivateAddresses ? [] : ['::/96'],
  };
}

export function createHttpOut({ allowPrivateAddresses, lookup }: HttpOutOptions): HttpOut {
  const options = agentOptions(allowPrivateAddresses);
  const agents = { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };

  function open({ url, headers, body, method }: PostRequest & { readonly method: string }): ClientRequest {
    const isBare = body.length === 0 && (method === 'GET' || method === 'HEAD');
    const settings = {
      method,
      headers: { ...headers, ...(!isBare && { 'content-length': body.length }) },
      ...(lookup === undefined ? {} : { lookup }),
    };
    const target = new URL(url);
    return target.protocol === 'https:'
      ? https.request(target, { ...settings, agent: agents.https })
      : http.request(target, { ...settings, agent: agents.http });
  }

  return {
    async post(request) {
      const startedAt = performance.now();
      const limits = { timeoutMs: request.timeoutMs, maxBytes: maxAnswerBytes };
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

/** Whether sending the request twice has the same effect as sending it once (RFC 9110, 9.2.2). */
function isRepeatable({ method, headers }: OutRequest): boolean {
  return repeatable.has(method) || Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
}

async function exchangeOnce(open: () => ClientRequest, body: Buffer, limits: ExchangeLimits): Promise<HttpExchange> {
  try {
    return await exchange(open(), body, limits);
  } catch (error) {
    return failedExchange(error);
  }
}

// The server may close a reused connection at the moment the request is sent. Then the request is sent again on a new
// connection. The server may have read the first one, so the request must be safe to repeat.
async function exchangeOnLiveSocket(
  open: () => ClientRequest,
  body: Buffer,
  limits: ExchangeLimits,
): Promise<HttpExchange> {
  try {
    const first = open();
    const exchanged = await exchange(first, body, limits);
    const isStale = exchanged.status === null && exchanged.error === connectionReset && first.reusedSocket;
    return isStale ? await exchange(open(), body, limits) : exchanged;
  } catch (error) {
    return failedExchange(error);
  }
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, String(value).slice(0, maxHeaderBytes)] as const,
  );
  return Object.fromEntries(entries.slice(0, 50));
}

// PostgreSQL's type text cannot store NUL characters.
function textOf(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\u{FFFD}');
}
