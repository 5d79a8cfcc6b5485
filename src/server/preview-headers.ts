// Which headers of a request reach a preview's app, and which headers of its answer reach the browser.
import type { IncomingMessage } from 'node:http';

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Headers of one connection only (RFC 9110, 7.6.1). */
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

/** The proxy sets these itself: the host of the request, and the answer to a client that waits to send a body. */
const replacedHeaders = /^(?:x-forwarded-.*|host|expect)$/;

/** A token of Interlock that was sent to an app by mistake is removed, because apps are not trusted. */
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
  // Anybody who knows a preview's host can find it, so the referrer hides it unless the app sets its own policy.
  const hasPolicy = kept.some(([name]) => name.toLowerCase() === 'referrer-policy');
  return [...kept, ['x-robots-tag', 'noindex'], ...(hasPolicy ? [] : [['referrer-policy', 'same-origin'] as const])];
}

/** An app must not set cookies for parent domains, which belong to the service and to other previews. */
function hostOnly(cookie: string): string {
  return cookie
    .split(';')
    .filter((part) => !/^\s*domain\s*=/i.test(part))
    .join(';');
}

function hasInterlockToken(name: string, value: string): boolean {
  if (name.toLowerCase() !== 'authorization') return false;
  const [, basic] = /^basic\s+(.+)$/i.exec(value) ?? [];
  // As git sends it: the password of any user name.
  return interlockToken.test(basic === undefined ? value : Buffer.from(basic, 'base64').toString());
}

function endToEnd({ rawHeaders, headers }: IncomingMessage): HeaderPairs {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  // Without a length, a body would be read as the next request of its connection.
  named.delete('content-length');
  return pairsOf(rawHeaders).filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

function pairsOf(raw: readonly string[]): HeaderPairs {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
