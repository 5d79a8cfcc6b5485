// Browsers sign in by a form or by a link. These tests show what their sessions may do, and when sessions end.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../src/server/callers.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf } from './account.ts';
import { openSocket } from './browser-socket.ts';
import { openBrowser, type Browser } from './browser.ts';

let s: TestServer;
let now = Date.now();
const hours = (count: number): void => void (now += count * 3_600_000);
beforeAll(async () => {
  s = await startServer({ clock: () => new Date(now) });
});
afterAll(async () => await s.close());

const whoAmI = '{ viewer { email scopes account { name } session { startedAt expiresAt } } }';

async function signedIn(token = s.token): Promise<Browser> {
  const browser = openBrowser(s);
  await browser.submit('/session', { token });
  expect(browser.cookie).toMatch(/^interlock=/);
  return browser;
}

async function linkFor(token: string, next?: string): Promise<string> {
  const { data, errors, text } = await s.graphql<{ createSignInLink: { url: string } }>(
    'mutation ($input: CreateSignInLinkInput!) { createSignInLink(input: $input) { url expiresAt } }',
    { input: { next } },
    token,
  );
  if (errors.length > 0) throw new Error(text);
  const { pathname, search, origin } = new URL(data.createSignInLink.url);
  expect(origin).toBe('http://localhost:4000');
  return pathname + search;
}

const socketOf = async (headers: Record<string, string>, url = s.url): ReturnType<typeof openSocket> =>
  await openSocket(url, headers);

describe('the sign-in form', () => {
  it('takes a token, sets a cookie that scripts cannot read, and sends the browser to the page that it asked for', async () => {
    const browser = openBrowser(s);
    const form = await browser.get('/session?next=/acme/shop/queue/main');
    expect([form.status, form.headers.get('cache-control'), form.headers.get('referrer-policy')]).toEqual([
      200,
      'no-store',
      'same-origin',
    ]);
    expect(form.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(form.text).toContain('name="next" value="/acme/shop/queue/main"');
    expect(form.text).not.toContain('<script');

    const entered = await browser.submit('/session', { token: s.token, next: '/acme/shop/queue/main' });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/acme/shop/queue/main']);
    expect(entered.headers.get('set-cookie')).toMatch(
      /^interlock=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
    );
    const { answer } = await browser.graphql(whoAmI);
    expect(answer.data).toEqual({
      viewer: {
        email: 'service@acme.test',
        scopes: expect.arrayContaining(['ADMIN', 'QUEUE_READ']),
        account: { name: 'acme' },
        session: {
          startedAt: new Date(now).toISOString(),
          expiresAt: new Date(now + 12 * 3_600_000).toISOString(),
        },
      },
    });
    expect((await browser.get('/session?next=/runbooks/7')).text).toContain('signed in as <strong>service@acme.test');
  });

  it('says that the session has ended, whether the browser still has its cookie or not', async () => {
    const ended = 'Your session has ended';
    const browser = await signedIn();
    const next = '/session?next=/acme/shop/queue/main';
    expect((await browser.get(next)).text).not.toContain(ended);
    hours(13);
    expect((await browser.get(next)).text).toContain(ended);
    const without = openBrowser(s);
    expect((await without.get(next)).text).not.toContain(ended);
    expect((await without.get(`${next}&ended`)).text).toContain(ended);
    const refused = await without.submit(`${next}&ended`, { token: 'il_live_x' });
    expect([refused.text.includes(ended), refused.text.includes('This token is not accepted')]).toEqual([false, true]);
    const signedOut = await signedIn();
    await signedOut.submit('/session/end', {}, { accept: 'text/html' });
    expect((await signedOut.get('/session')).text).not.toContain(ended);
  });

  it('gives the cookie the prefix __Host- if the service has https', () => {
    expect(sessionCookie('https://queue.example.test', 'x')).toBe(
      '__Host-interlock=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800',
    );
  });

  it('a sign-in stores neither the cookie nor the link', async () => {
    const browser = await signedIn();
    const link = await linkFor(s.token);
    const stored = (
      await s.rows<{ row: string }>(
        `select to_jsonb(t)::text as row from user_session t union all select to_jsonb(l)::text from sign_in_link l
         union all select to_jsonb(a)::text from user_action a union all select to_jsonb(e)::text from event e`,
      )
    )
      .map(({ row }) => row)
      .join('\n');
    expect(stored).toContain('"token_id"');
    expect(stored).not.toContain(browser.cookie.slice('interlock='.length));
    expect(stored).not.toContain(link.slice('/session/'.length));
  });

  it.each([
    ['a wrong token', {}, { token: 'il_live_x' }, 401, 'This token is not accepted'],
    ['no token', {}, {}, 401, 'This token is not accepted'],
    ['a page of another site', { origin: 'https://evil.test' }, {}, 403, 'The Origin of this request must be'],
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }, {}, 403, 'must be same-origin'],
    ['a body that is not a form', { 'content-type': 'application/json' }, {}, 415, ''],
  ])('refuses %s', async (_what, headers, fields, status, why) => {
    const browser = openBrowser(s);
    const refused = await browser.submit('/session', fields, headers);
    expect([refused.status, browser.cookie]).toEqual([status, '']);
    expect(refused.text).toContain(why);
  });

  it('refuses a token that is sent over http to a host other than localhost', async () => {
    const { hostname, port } = new URL(s.url);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'queue.example.test', 'content-type': 'application/x-www-form-urlencoded' };
      request({ hostname, port, path: '/session', method: 'POST', headers }, (answer) => resolve(answer.statusCode))
        .on('error', reject)
        .end(`token=${s.token}`);
    });
    expect(status).toBe(403);
    const shown = await new Promise<string>((resolve, reject) => {
      request({ hostname, port, path: '/session', headers: { host: 'queue.example.test' } }, (answer) => {
        text(answer).then(resolve, reject);
      })
        .on('error', reject)
        .end();
    });
    expect(shown).toContain('Browsers sign in over https');
    expect(shown).not.toContain('<form');
  });

  it('is shown even if the name of the account contains a NUL', async () => {
    expect((await openBrowser(s).get('/session?account=%00')).status).toBe(200);
  });

  it.each(['https://evil.test/', '//evil.test', '/\\evil.test', '/session/end'])(
    'does not send the browser to %s',
    async (next) => {
      const entered = await openBrowser(s).submit('/session', { token: s.token, next });
      expect(entered.headers.get('location')).toBe('/');
    },
  );
});

describe('a sign-in link', () => {
  it('signs in once, when its button is pressed and not when the page is read', async () => {
    const token = await s.tokenWith(['queue:read']);
    const link = await linkFor(token, '/acme/shop/queue/main');
    expect((await fetch(`${s.url}${link}`, { method: 'HEAD' })).status).toBe(200);
    const browser = openBrowser(s);
    const shown = await browser.get(link);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('<form method="post">');
    expect(shown.text).toContain('as <strong>service@acme.test</strong> of the account <strong>acme</strong>');
    expect(browser.cookie).toBe('');

    const entered = await browser.submit(link.split('?')[0] ?? '', { next: '/acme/shop/queue/main' });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/acme/shop/queue/main']);
    expect((await browser.graphql(whoAmI)).answer.data).toMatchObject({ viewer: { scopes: ['QUEUE_READ'] } });

    const second = await openBrowser(s).submit(link);
    expect([second.status, second.headers.get('set-cookie')]).toEqual([404, null]);
    expect(second.text).toContain('This link was used already');
    expect((await openBrowser(s).get(link)).status).toBe(404);
  });

  it('signs in only one of two browsers that press the button at once', async () => {
    const link = await linkFor(s.token);
    const both = await Promise.all([openBrowser(s).submit(link), openBrowser(s).submit(link)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  it('works for 15 minutes', async () => {
    const [early, late] = [await linkFor(s.token), await linkFor(s.token)];
    hours(14.9 / 60);
    expect((await openBrowser(s).submit(early)).status).toBe(303);
    hours(0.2 / 60);
    expect((await openBrowser(s).submit(late)).status).toBe(404);
  });

  it('ends with the token that made it', async () => {
    const ada = await accountOf(s).add('ada');
    const link = await linkFor(ada.token);
    await accountOf(s).remove(ada.id);
    expect((await openBrowser(s).submit(link)).status).toBe(404);
  });

  it('refuses pages of other sites', async () => {
    const link = await linkFor(s.token);
    expect((await openBrowser(s).submit(link, {}, { origin: 'https://evil.test' })).status).toBe(403);
    expect((await openBrowser(s).submit(link)).status).toBe(303);
  });

  it('cannot be made by a session, nor for a page of another site', async () => {
    const browser = await signedIn();
    const { answer } = await browser.graphql('mutation { createSignInLink { url } }');
    expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await expect(linkFor(s.token, '//evil.test')).rejects.toThrow('input.next must be a path of this service');
  });
});

describe('a session', () => {
  it.each([
    ['from another site', { origin: 'https://evil.test' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from a preview', { origin: 'http://shop.preview.localhost:4000', 'sec-fetch-site': 'same-site' }],
    ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['without an origin', { origin: '' }],
  ])('refuses a request %s', async (_where, headers) => {
    const browser = await signedIn();
    const refused = await browser.graphql(whoAmI, headers);
    expect([refused.status, refused.answer.errors?.[0]?.extensions.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('changes nothing by GET, by a form or by a body of plain text', async () => {
    const browser = await signedIn();
    const mutation = 'mutation { endSession { ended } }';
    const byGet = await browser.get(`/graphql?query=${encodeURIComponent(mutation)}`, {
      'apollo-require-preflight': 'true',
    });
    expect(byGet.status).toBe(405);
    expect((await browser.submit('/graphql', { query: mutation })).status).toBe(415);
    const byText = await browser.graphql(mutation, { 'content-type': 'text/plain' });
    expect(byText.status).toBe(400);
    expect((await browser.graphql(whoAmI)).status).toBe(200);
  });

  it('gives answers that no cache may store', async () => {
    const browser = await signedIn();
    const read = await browser.get(`/graphql?query=${encodeURIComponent(whoAmI)}`, {
      'apollo-require-preflight': 'true',
    });
    expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('is ignored if the request has a token', async () => {
    const browser = await signedIn();
    const other = await s.otherAccount('beside');
    const { answer } = await browser.graphql(whoAmI, { authorization: `Bearer ${other.token}` });
    expect(answer.data).toMatchObject({ viewer: { account: { name: 'beside' }, session: null } });
    expect((await browser.graphql(whoAmI, { authorization: 'Bearer x' })).status).toBe(401);
    expect((await browser.get('/api/v1/repo', { authorization: 'Bearer x' })).status).toBe(401);
  });

  it('can read by REST, and cannot change anything by REST', async () => {
    const browser = await signedIn();
    expect((await browser.get('/api/v1/repo')).status).toBe(200);
    const body = { org: 'acme', name: 'shop', paused: true };
    const changed = await s.rest('POST', '/api/v1/repo', {
      token: null,
      body,
      headers: { cookie: browser.cookie, origin: s.url, 'sec-fetch-site': 'same-origin' },
    });
    expect(changed.status).toBe(401);
  });

  it('makes no token with more scopes, and its tokens end with the token that began the session', async () => {
    const ada = await accountOf(s).add('ida', { scopes: ['queue:read'] });
    const browser = await signedIn(ada.token);
    const create = (scope: string): string =>
      `mutation { createApiToken(input: {name: "T", scopes: [${scope}]}) { token apiToken { userEmail } } }`;
    expect((await browser.graphql(create('QUEUE_WRITE'))).answer.errors?.[0]?.message).toBe(
      'A token can only grant scopes that it has; this token lacks queue:write.',
    );
    const { answer } = await browser.graphql(create('QUEUE_READ'));
    const made = answer.data?.['createApiToken'] as unknown as { token: string; apiToken: unknown };
    expect(made.apiToken).toEqual({ userEmail: ada.email });
    await accountOf(s).remove(ada.id);
    expect((await s.graphql(whoAmI, {}, made.token)).status).toBe(401);
  });

  it('is named in the audit log as its user, even if an account token began it', async () => {
    const browser = await signedIn();
    await browser.graphql('mutation { addUser(input: {email: "eve@acme.test"}) { user { id } } }');
    await browser.graphql('mutation { endSession { ended } }');
    const { data } = await s.graphql<{ userActions: { nodes: { action: string; actor: string }[] } }>(
      '{ userActions(first: 2) { nodes { action actor } } }',
    );
    expect(data.userActions.nodes).toEqual([
      { action: 'signed_out', actor: 'service@acme.test' },
      { action: 'user_added', actor: 'service@acme.test' },
    ]);
  });

  it('sees only its own account', async () => {
    const other = await s.otherAccount('apart');
    const browser = await signedIn(other.token);
    const { answer } = await browser.graphql('{ viewer { account { name } } users { nodes { email } } }');
    expect(answer.data).toEqual({
      viewer: { account: { name: 'apart' } },
      users: { nodes: [{ email: 'service@apart.test' }] },
    });
  });
});

describe('a session ends', () => {
  it('12 hours after its last use, and 7 days after its start', async () => {
    const [used, idle] = [await signedIn(), await signedIn()];
    for (let hour = 0; hour < 165; hour += 11) {
      hours(11);
      expect([hour, (await used.graphql(whoAmI)).status]).toEqual([hour, 200]);
    }
    expect((await idle.graphql(whoAmI)).status).toBe(401);
    hours(3.1);
    expect((await used.graphql(whoAmI)).status).toBe(401);
  });

  it('when the browser signs out by the form, by a script, or by GraphQL, in every process', async () => {
    const elsewhere = await s.another();
    try {
      const [form, script, graphql] = [await signedIn(), await signedIn(), await signedIn()];
      const cookies = [form.cookie, script.cookie, graphql.cookie];
      const ours = { origin: s.url, 'sec-fetch-site': 'same-origin' };
      expect((await fetch(`${s.url}/session`, { method: 'DELETE', headers: { cookie: script.cookie } })).status).toBe(
        403,
      );
      expect((await form.submit('/session/end', {}, { origin: 'https://evil.test' })).status).toBe(403);
      const statuses = async (): Promise<number[]> =>
        await Promise.all(
          cookies.map(async (cookie) => (await fetch(`${elsewhere.url}/api/v1/repo`, { headers: { cookie } })).status),
        );
      expect(await statuses()).toEqual([200, 200, 200]);

      const signedOut = await form.submit('/session/end');
      expect([signedOut.status, signedOut.headers.get('location')]).toEqual([303, '/session']);
      expect(signedOut.headers.get('set-cookie')).toMatch(/^interlock=; .*Max-Age=0$/);
      const deleted = await fetch(`${s.url}/session`, {
        method: 'DELETE',
        headers: { ...ours, cookie: script.cookie },
      });
      expect(deleted.status).toBe(204);
      expect((await graphql.graphql('mutation { endSession { ended } }')).answer.data).toEqual({
        endSession: { ended: true },
      });
      await expect.poll(statuses).toEqual([401, 401, 401]);
      expect((await form.submit('/session/end')).status).toBe(303);
    } finally {
      await elsewhere.close();
    }
  });

  it('with all other sessions of the user, if the user signs out everywhere', async () => {
    const ada = await accountOf(s).add('una');
    const [one, two, other] = [await signedIn(ada.token), await signedIn(ada.token), await signedIn()];
    await one.graphql('mutation { endSession(input: {everywhere: true}) { ended } }');
    expect((await two.graphql(whoAmI)).status).toBe(401);
    expect((await other.graphql(whoAmI)).status).toBe(200);
  });

  it('but not by revokeApiToken without an id, which is refused', async () => {
    const browser = await signedIn();
    const { answer } = await browser.graphql('mutation { revokeApiToken(input: {}) { apiToken { id } } }');
    expect(answer.errors).toMatchObject([
      { message: 'This request came without a token. Name the token to revoke.', extensions: { code: 'BAD_INPUT' } },
    ]);
  });

  it('only by a request of its own: endSession with a token is refused', async () => {
    expect((await s.graphql('mutation { endSession { ended } }')).errors).toMatchObject([
      { message: 'This request came with a token and has no session. Revoke the token instead.' },
    ]);
  });

  it('with its user, and does not work again when the user comes back', async () => {
    const ada = await accountOf(s).add('ona');
    const browser = await signedIn(ada.token);
    const socket = await socketOf({ cookie: browser.cookie, origin: s.url });
    await accountOf(s).remove(ada.id);
    expect(await socket.closed).toBe(4403);
    await socket.end();
    await s.graphql('mutation { addUser(input: {email: "ona@acme.test"}) { user { id } } }');
    expect((await browser.graphql(whoAmI)).status).toBe(401);
  });
});

describe('a WebSocket', () => {
  it('accepts the session of a page of this service, and refuses a page of another site', async () => {
    const { cookie } = await signedIn();
    const good = await socketOf({ cookie, origin: s.url });
    expect(good.first).toBe('connected');
    await good.end();
    for (const [headers, first] of [
      [{ cookie, origin: 'https://evil.test' }, 'closed 4403'],
      [{ cookie }, 'closed 4403'],
      [{ cookie, origin: s.url, 'sec-fetch-site': 'cross-site' }, 'closed 4403'],
      [{ origin: s.url }, 'closed 4401'],
      [{ cookie: 'interlock=x', origin: s.url }, 'closed 4401'],
    ] as const) {
      const refused = await socketOf(headers);
      expect([headers, refused.first]).toEqual([headers, first]);
    }
  });

  it('is closed if the token of its session is revoked, and if the session ends in another process', async () => {
    const elsewhere = await s.another();
    try {
      const ada = await accountOf(s).add('ula');
      const [byToken, bySession] = [await signedIn(ada.token), await signedIn(ada.token)];
      const first = await socketOf({ cookie: byToken.cookie, origin: s.url });
      const second = await socketOf({ cookie: bySession.cookie, origin: elsewhere.url }, elsewhere.url);
      expect([first.first, second.first]).toEqual(['connected', 'connected']);
      await bySession.graphql('mutation { endSession { ended } }');
      expect(await second.closed).toBe(4403);
      const { data } = await s.graphql<{ viewer: { apiTokens: { id: string }[] } }>(
        '{ viewer { apiTokens { id } } }',
        {},
        ada.token,
      );
      await s.graphql('mutation ($id: ID!) { revokeApiToken(input: {id: $id}) { apiToken { id } } }', {
        id: data.viewer.apiTokens[0]?.id,
      });
      expect(await first.closed).toBe(4403);
      expect((await byToken.graphql(whoAmI)).status).toBe(401);
    } finally {
      await elsewhere.close();
    }
  });
});

it('a client address that tries many tokens in the form, links or cookies is refused for a minute, and sessions still work', async () => {
  hours(1 / 30);
  const good = await signedIn();
  const tries = Array.from({ length: 62 }, (_, n) => n);
  const statuses: number[] = [];
  for (const n of tries) statuses.push((await openBrowser(s).submit('/session', { token: `il_live_${n}` })).status);
  expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
  expect(statuses.slice(60)).toEqual([429, 429]);
  expect((await openBrowser(s).get('/session/x')).status).toBe(429);
  const cookie = Object.assign(openBrowser(s), { cookie: 'interlock=x' });
  expect((await cookie.get('/api/v1/repo')).status).toBe(429);
  expect((await good.graphql(whoAmI)).status).toBe(200);
  hours(1 / 30);
  expect((await openBrowser(s).get('/session/x')).status).toBe(404);
});

it('a client address that presses the buttons of many guessed links is refused for a minute', async () => {
  hours(1 / 30);
  const statuses: number[] = [];
  for (let n = 0; n < 61; n += 1) statuses.push((await openBrowser(s).submit(`/session/guess-${n}`)).status);
  expect([statuses[59], statuses[60]]).toEqual([404, 429]);
  hours(1 / 30);
});
