// Decides which headers of a request reach a preview's app, and which headers of the answer reach the browser.
import type { IncomingMessage } from 'node:http';

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Headers that apply only to one connection (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that are not forwarded: the proxy sets `host` and `x-forwarded-…` itself, and answers `expect` itself. */
const replacedHeaders = /^(?:x-forwarded-.*|host|expect)$/;

/**
 * Recognises tokens of Interlock. A token that a client sends to an app by mistake is removed, because apps are
 * untrusted.
 */
const interlockToken = /\bil_(?:live|user)_/;

export function requestHeaders(request: IncomingMessage, protocol: string): HeaderPairs {
  const { host = '', 'x-forwarded-for': before } = request.headers;
  const from = request.socket.remoteAddress ?? '';
  const kept = endToEnd(request).filter(
    ([name, value]) => !replacedHeaders.test(name.toLowerCase()) && !hasInterlockToken(name, value),
  );
  return [
    ['host', host],
    ...kept,
    ['x-forwarded-for', before === undefined ? from : `${String(before)}, ${from}`],
    ['x-forwarded-host', host],
    ['x-forwarded-proto', protocol],
    // A body without a length is sent in chunks.
    ...(request.headers['transfer-encoding'] === undefined ? [] : [['transfer-encoding', 'chunked'] as const]),
  ];
}

export function responseHeaders(response: IncomingMessage): HeaderPairs {
  const kept = endToEnd(response).map(
    ([name, value]) => [name, name.toLowerCase() === 'set-cookie' ? hostOnly(value) : value] as const,
  );
  // A preview's host name is enough to open the preview. Therefore other sites do not get it as a referrer, unless the
  // app sets its own policy.
  const hasPolicy = kept.some(([name]) => name.toLowerCase() === 'referrer-policy');
  return [...kept, ['x-robots-tag', 'noindex'], ...(hasPolicy ? [] : [['referrer-policy', 'same-origin'] as const])];
}

/**
 * Removes the attribute Domain, because an app must not set cookies for parent domains, which belong to the service and
 * to other previews.
 */
function hostOnly(cookie: string): string {
  return cookie
    .split(';')
    .filter((part) => !/^\s*domain\s*=/i.test(part))
    .join(';');
}

function hasInterlockToken(name: string, value: string): boolean {
  if (name.toLowerCase() !== 'authorization') return false;
  const [, basic] = /^basic\s+(.+)$/i.exec(value) ?? [];
  // git sends a token as the password of Basic authentication.
  return interlockToken.test(basic === undefined ? value : Buffer.from(basic, 'base64').toString());
}

function endToEnd({ rawHeaders, headers }: IncomingMessage): HeaderPairs {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  // `content-length` is always forwarded. Without it, the app would read a body as the next request of the connection.
  named.delete('content-length');
  return pairsOf(rawHeaders).filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

function pairsOf(raw: readonly string[]): HeaderPairs {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
