// Which page a browser gets: the dashboard with a session, and the sign-in without one.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Browser } from '../accounts/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

let dashboardDir: string;
let built: TestServer;
let bare: TestServer;
let browser: Browser;
const page = '<!doctype html><title>Interlock</title><script type="module" src="/assets/main-1.js"></script>';
beforeAll(async () => {
  dashboardDir = await mkdtemp(join(tmpdir(), 'interlock-dashboard-'));
  await mkdir(join(dashboardDir, 'assets'));
  await writeFile(join(dashboardDir, 'index.html'), page);
  await writeFile(join(dashboardDir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(dashboardDir, 'assets', 'main-1.js'), 'export {};');
  await writeFile(join(dashboardDir, 'assets', 'main-1.js.br'), brotliCompressSync('export {};'));
  [built, bare] = await Promise.all([startServer({ dashboardDir }), startServer()]);
  browser = openBrowser(built);
  await browser.submit('/session', { token: built.token });
});
afterAll(async () => {
  await Promise.all([built.close(), bare.close()]);
  await rm(dashboardDir, { recursive: true });
});

describe('a browser that is signed in', () => {
  it.each(['/', '/acme/shop/queue/release%2F1?at=2026-11-22T14:21Z', '/acme/shop/pull/1', '/runbooks/1', '/activity'])(
    'gets the dashboard at %s',
    async (path) => {
      const visit = await browser.get(path);
      expect([visit.status, visit.headers.get('content-type'), visit.headers.get('cache-control'), visit.text]).toEqual(
        [200, 'text/html; charset=utf-8', 'no-cache', page],
      );
      expect(visit.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(visit.headers.get('referrer-policy')).toBe('same-origin');
    },
  );

  it.each(['/api/v1/nothing', '/assets/main-0.js', '/graphiql/nothing', '/git/acme/shop', '/schema/nothing'])(
    'gets no page at %s, which only programs request',
    async (path) => {
      expect((await browser.get(path)).status).toBe(404);
    },
  );
});

describe('a browser that is not signed in', () => {
  it.each([
    ['/', '/session'],
    ['/acme/shop/queue/main?at=now', '/session?next=%2Facme%2Fshop%2Fqueue%2Fmain%3Fat%3Dnow'],
    ['/acme/shop/pull/1', '/session?next=%2Facme%2Fshop%2Fpull%2F1'],
    ['/runbooks/1', '/session?next=%2Frunbooks%2F1'],
  ])('is sent from %s to %s', async (path, to) => {
    const visit = await openBrowser(built).get(path);
    expect([visit.status, visit.headers.get('location')]).toEqual([303, to]);
  });

  it('loses its cookie if the session of the cookie has ended', async () => {
    const visit = await Object.assign(openBrowser(built), { cookie: 'interlock=x' }).get('/');
    expect([visit.status, visit.headers.get('set-cookie')]).toEqual([
      303,
      'interlock=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
  });

  it('gets the files of the dashboard, which are the same for every user', async () => {
    const script = await openBrowser(built).get('/assets/main-1.js', { 'accept-encoding': 'br' });
    expect([script.status, script.headers.get('cache-control'), script.headers.get('content-encoding')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'br',
    ]);
    expect(script.text).toBe('export {};');
    const icon = await openBrowser(built).get('/icon.svg');
    expect([icon.status, icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'no-cache',
    ]);
  });
});

describe('a URL that Interlock shows to users', () => {
  // Answers, webhooks, comments and the demo contain such URLs.
  it.each([
    ['a pull request', '/acme/shop/pull/1', 200],
    ['a runbook', '/runbooks/1', 200],
    ['a queue', '/acme/shop/queue/release/1?select=3', 200],
    ['the output of a check', '/git/acme/shop.git/checks/1/log', 404],
  ])('leads to %s, also for a user who must sign in first', async (_what, path, status) => {
    const visitor = openBrowser(built);
    const asked = await visitor.get(path);
    expect([asked.status, asked.headers.get('location')]).toEqual([303, `/session?next=${encodeURIComponent(path)}`]);
    const entered = await visitor.submit('/session', { token: built.token, next: path });
    expect(entered.headers.get('location')).toBe(path);
    expect((await visitor.get(path)).status).toBe(status);
  });

  it.each(['/docs/api', '/schema/openapi.yaml', '/schema/schema.graphql', '/schema/config.json'])(
    'needs no session if it is %s, because the content is the same for every user',
    async (path) => {
      expect((await openBrowser(built).get(path)).status).toBe(200);
    },
  );

  it('of the output of a check refuses a session without the scope, and asks a program for a token', async () => {
    const path = '/git/acme/shop.git/checks/1/log';
    const limited = openBrowser(built);
    await limited.submit('/session', { token: await built.tokenWith(['runbook:write']) });
    expect((await limited.get(path)).status).toBe(403);
    expect((await fetch(built.url + path)).status).toBe(401);
    const foreign = openBrowser(built);
    foreign.cookie = 'interlock=x';
    expect((await foreign.get(path)).status).toBe(303);
  });
});

describe('a client that is not a browser', () => {
  it('gets the plain page with its token, and an error in JSON for an unknown path', async () => {
    const basic = `Basic ${Buffer.from(`x:${built.token}`).toString('base64')}`;
    const plain = await openBrowser(built).get('/runbooks/1', { authorization: basic });
    expect([plain.status, plain.text.includes('Runbook not found')]).toEqual([404, true]);
    expect((await built.rest('GET', '/nothing')).status).toBe(404);
  });
});

describe('without a built dashboard', () => {
  it('the first page says how to build the dashboard, and other paths are not found', async () => {
    const visit = await openBrowser(bare).get('/');
    expect([visit.status, visit.text.includes('npm run build')]).toEqual([200, true]);
    expect((await openBrowser(bare).get('/activity')).status).toBe(404);
    expect((await bare.rest('GET', '/', { token: null })).status).toBe(404);
  });

  it('the plain pages accept a session, and ask all other clients for a token', async () => {
    const visitor = openBrowser(bare);
    const asked = await visitor.get('/runbooks/1');
    expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Interlock", charset="UTF-8"',
    ]);
    await visitor.submit('/session', { token: bare.token });
    const shown = await visitor.get('/runbooks/1');
    expect([shown.status, shown.text.includes('Runbook not found')]).toEqual([404, true]);
  });
});
