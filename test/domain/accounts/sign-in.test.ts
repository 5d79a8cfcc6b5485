import { describe, expect, it } from 'vitest';
import {
  explainForeignOrigin,
  isSecureConnection,
  safePath,
  sessionEndsAt,
  type RequestOrigin,
} from '../../../src/domain/accounts/sign-in.ts';

describe('a session ends', () => {
  const at = (hours: number): Date => new Date(Date.UTC(2026, 0, 1) + hours * 3_600_000);
  it.each([
    ['12 hours after its last use', { usedAt: at(5), tokenExpiresAt: null }, at(17)],
    ['7 days after its start, even if it is used', { usedAt: at(167), tokenExpiresAt: null }, at(168)],
    ['with its token', { usedAt: at(5), tokenExpiresAt: at(6) }, at(6)],
    ['before a token that lives longer', { usedAt: at(5), tokenExpiresAt: at(900) }, at(17)],
  ])('%s', (_when, given, end) => {
    expect(sessionEndsAt({ startedAt: at(0), ...given })).toEqual(end);
  });
});

describe('a request with a session', () => {
  const own: RequestOrigin = {
    publicUrl: 'https://queue.example.test',
    method: 'POST',
    isUpgrade: false,
    host: 'queue.example.test',
    origin: 'https://queue.example.test',
    fetchSite: 'same-origin',
  };
  const local = { publicUrl: 'http://127.0.0.1:4000', host: 'localhost:4000', origin: 'http://localhost:4000' };
  it.each([
    ['of a page of this service', {}],
    ['that only reads, from another site', { method: 'GET', origin: 'https://evil.test', fetchSite: 'cross-site' }],
    ['with the method HEAD', { method: 'HEAD', origin: undefined, fetchSite: undefined }],
    ['for a WebSocket, without Sec-Fetch-Site', { isUpgrade: true, method: 'GET', fetchSite: undefined }],
    ['to another host name of this machine', local],
    ['to the IPv6 address of this machine', { ...local, host: '[::1]:4000', origin: 'http://[::1]:4000' }],
  ] satisfies [string, Partial<RequestOrigin>][])('%s is accepted', (_which, change) => {
    expect(explainForeignOrigin({ ...own, ...change })).toBeNull();
  });

  const wrongOrigin = 'The Origin of this request must be https://queue.example.test, not ';
  it.each([
    ['of another site', { origin: 'https://evil.test' }, `${wrongOrigin}https://evil.test.`],
    ['of a page without an origin', { origin: 'null' }, `${wrongOrigin}null.`],
    ['without the header Origin', { origin: undefined }, `${wrongOrigin}absent.`],
    ['over plain http', { origin: 'http://queue.example.test' }, `${wrongOrigin}http://queue.example.test.`],
    ['of a preview', { origin: 'https://a.preview.queue.example.test' }, wrongOrigin],
    ['whose Host and Origin both name another host', { host: 'evil.test', origin: 'http://evil.test' }, wrongOrigin],
    ['that the browser calls same-site', { fetchSite: 'same-site' }, 'must be same-origin, not same-site.'],
    ['without Sec-Fetch-Site', { fetchSite: undefined }, 'must be same-origin, not absent.'],
    ['for a WebSocket of another site', { isUpgrade: true, method: 'GET', origin: 'https://evil.test' }, wrongOrigin],
    [
      'for a WebSocket that the browser calls cross-site',
      { isUpgrade: true, fetchSite: 'cross-site' },
      'not cross-site.',
    ],
    ['of another port of this machine', { ...local, origin: 'http://localhost:8080' }, 'must be http://127.0.0.1:4000'],
  ] satisfies [string, Partial<RequestOrigin>, string][])('%s is refused', (_which, change, why) => {
    expect(explainForeignOrigin({ ...own, ...change })).toContain(why);
  });
});

it.each([
  ['https://queue.example.test', 'queue.example.test', true],
  ['http://127.0.0.1:4000', 'localhost:4000', true],
  ['http://127.0.0.1:4000', '127.0.0.1:4000', true],
  ['http://10.0.0.1:4000', '10.0.0.1:4000', false],
  ['http://10.0.0.1:4000', undefined, false],
  ['http://localhost.evil.test', 'localhost.evil.test', false],
])('with INTERLOCK_PUBLIC_URL %s and the header Host %s, signing in is permitted: %s', (publicUrl, host, isAllowed) => {
  expect(isSecureConnection({ publicUrl, host })).toBe(isAllowed);
});

describe('the path after signing in', () => {
  it.each([
    '/acme/shop/queue/main',
    '/acme/shop/queue/release%2F1?at=2026-11-22T14:21Z#row',
    '/runbooks/7',
    '/sessions/shop/pulls',
  ])('may be %s', (path) => {
    expect(safePath(path)).toBe(path);
  });

  it.each([
    undefined,
    null,
    '',
    'acme/shop',
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/a\\b',
    '/\t/evil.test',
    '/a\nb',
    '/a/..//evil.test',
    'javascript:alert(1)',
    '/session',
    '/session/end',
    '/session/terminal/token',
    '/a/../session/x',
    `/${'a'.repeat(2_000)}`,
    `/${'ü'.repeat(400)}`,
  ])('is the first page if %j was requested', (next) => {
    expect(safePath(next)).toBe('/');
  });
});
