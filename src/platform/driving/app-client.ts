// Sends requests to the app that is tested, and to no other server. A sandbox is reached by its address, an endpoint by
// its URL.
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpOut } from '../http-out/index.ts';
import { exchange, failedExchange, type HttpExchange } from '../http-out/exchange.ts';
import { requestToSandbox } from '../previews/address.ts';
import type { AppTarget } from './port.ts';

export interface AppRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

export interface AppClient {
  /** The origin of the app, as a browser sees it. */
  readonly origin: string;
  /** Never throws, and does not follow redirects. */
  send(request: AppRequest): Promise<HttpExchange>;
}

const timeoutMs = 30_000;
const maxBytes = 4 * 1024 * 1024;

export function createAppClient(http: HttpOut, target: AppTarget): AppClient {
  if (target.kind === 'sandbox') return sandboxClient(target.address);
  const base = new URL(target.url);
  const root = base.pathname.replace(/\/$/, '');
  return {
    origin: base.origin,
    send: async ({ path, ...request }) =>
      await http.send({
        ...request,
        // If the endpoint's URL has a path, the app's paths are below it.
        url: path.startsWith(`${root}/`) ? `${base.origin}${path}` : `${base.origin}${root}${path}`,
        timeoutMs,
        maxBytes,
      }),
  };
}

/** Browsers treat `localhost` as a secure origin, so features that need one work. */
const sandboxHost = 'localhost';

function sandboxClient(address: string): AppClient {
  return {
    origin: `http://${sandboxHost}`,
    async send({ method, path, headers, body, signal }) {
      try {
        const length = body.length === 0 && !sendsBody(method) ? {} : { 'content-length': body.length };
        const own = { host: sandboxHost, ...headers, ...length };
        const request = requestToSandbox(address, { method, path, headers: own, agent: false });
        return await exchange(request, body, { timeoutMs, maxBytes, signal });
      } catch (error) {
        return failedExchange(error);
      }
    },
  };
}

function sendsBody(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The value of a header as one text. Several values are joined by commas. Null: the header is missing. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
