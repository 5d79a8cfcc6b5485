// Answers the requests of a page by requests to the app. Requests to another origin are blocked.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Request, Route } from 'playwright-core';
import type { HttpExchange } from '../http-out/exchange.ts';
import type { AppClient } from './app-client.ts';

const maxRedirects = 5;
const maxBytes = 16 * 1024 * 1024;
const ofTheConnection = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
]);

export async function answerFrom(client: AppClient, route: Route, signal: AbortSignal): Promise<void> {
  const request = route.request();
  const url = new URL(request.url());
  if (url.origin !== client.origin) return await ignoreClosedPage(route.abort('blockedbyclient'));
  // Playwright does not await a route's handler, so an error that is thrown here would end the process.
  const exchanged = await requestFromApp(client, { request, url, signal }).catch(() => null);
  await ignoreClosedPage(exchanged === null ? route.abort('failed') : route.fulfill(exchanged));
}

/** The page may be closed before the answer arrives. */
async function ignoreClosedPage(answered: Promise<void>): Promise<void> {
  await answered.catch(() => {});
}

interface PageRequest {
  readonly request: Request;
  readonly url: URL;
  readonly signal: AbortSignal;
}

type Fulfilment = NonNullable<Parameters<Route['fulfill']>[0]>;

async function requestFromApp(client: AppClient, { request, url, signal }: PageRequest): Promise<Fulfilment | null> {
  const headers = await headersOf(request);
  let method = request.method();
  let body = request.postDataBuffer() ?? Buffer.alloc(0);
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const exchanged = await client.send({ method, path: `${at.pathname}${at.search}`, headers, body, signal });
    if (exchanged.status === null) return null;
    const to = redirectOf(exchanged, at);
    if (to === null) return fulfilmentOf(exchanged);
    if (to.origin !== client.origin)
      return {
        status: 502,
        contentType: 'text/plain',
        body: `A redirect to another origin is not followed: ${to.origin}`,
      };
    // The browser would follow a redirect itself, without this handler. Therefore a page whose script opens the new
    // address is returned: its request comes here again.
    if (request.isNavigationRequest() && (method === 'GET' || exchanged.status <= 303))
      return pageThatGoesTo(to, exchanged);
    if (exchanged.status <= 303) [method, body] = ['GET', Buffer.alloc(0)];
    at = to;
  }
  return { status: 508, contentType: 'text/plain', body: `More than ${maxRedirects} redirects.` };
}

async function headersOf(request: Request): Promise<Record<string, string>> {
  const all = Object.entries(await request.allHeaders());
  const own = all.filter(([name]) => !name.startsWith(':') && name !== 'host' && !ofTheConnection.has(name));
  return { ...Object.fromEntries(own), 'accept-encoding': 'identity' };
}

function redirectOf({ status, headers }: HttpExchange, from: URL): URL | null {
  if (status === null || ![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null;
  return URL.canParse(headers.location, from.href) ? new URL(headers.location, from.href) : null;
}

function pageThatGoesTo(to: URL, exchanged: HttpExchange): Fulfilment {
  const address = JSON.stringify(to.href).replaceAll('<', '\\u003c');
  const cookies = exchanged.headers['set-cookie'];
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(cookies !== undefined && { 'set-cookie': cookies.join('\n') }),
    },
    body: `<!doctype html><script>location.replace(${address})</script>`,
  };
}

function fulfilmentOf(exchanged: HttpExchange): Fulfilment {
  const headers = Object.entries(exchanged.headers).flatMap(([name, value]) =>
    value === undefined || ofTheConnection.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join('\n') : value] as const],
  );
  return { status: exchanged.status ?? 502, headers: Object.fromEntries(headers), body: decoded(exchanged) };
}

/** Some apps compress their answer although the request does not accept it. */
function decoded({ headers, body }: HttpExchange): Buffer {
  const decode = decoders[headers['content-encoding'] ?? ''];
  return decode === undefined ? body : decode(body, { maxOutputLength: maxBytes });
}

const decoders: Readonly<Record<string, (body: Buffer, limit: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};
