// `interlock login` with a browser: the session of the browser gives a token to this one terminal, once.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTerminalAddress } from '../../src/domain/accounts/terminal.ts';
import { openBrowser, type Browser, type Visit } from '../accounts/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runIn, type CommandRun } from './terminal.ts';

let s: TestServer;
let home: string;
let now = Date.now();
beforeAll(async () => {
  s = await startServer({ clock: () => new Date(now) });
  home = await mkdtemp(join(tmpdir(), 'interlock-login-'));
});
afterAll(async () => {
  await s.close();
  await rm(home, { recursive: true, force: true });
});

async function signedIn(): Promise<Browser> {
  const browser = openBrowser(s);
  await browser.submit('/session', { token: s.token });
  return browser;
}

const fieldsOf = ({ text }: Visit): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

async function agree(browser: Browser, url: string): Promise<Visit> {
  const { pathname, search } = new URL(url);
  return await browser.submit('/session/terminal', fieldsOf(await browser.get(pathname + search)));
}

const printed = (text: string): string => /^ {2}(http\S+)$/m.exec(text)?.[1] ?? '';

/** Types `interlock login`. When the address of the page is printed, `act` uses the page. */
async function logIn(act: (url: string) => Promise<unknown>, ...flags: string[]): Promise<CommandRun> {
  const acted = Promise.withResolvers<unknown>();
  const ran = await runIn(
    {
      env: { XDG_CONFIG_HOME: home },
      cwd: home,
      isTTY: true,
      onStderr: (text) => {
        if (printed(text) !== '') act(printed(text)).then(acted.resolve, acted.reject);
      },
    },
    'login',
    s.url,
    ...flags,
  );
  await acted.promise;
  return ran;
}

const exchange = async (
  code: string,
  verifier: string,
): Promise<{ status: number; answer: { token?: string; error?: string } }> => {
  const body = new URLSearchParams({ code, code_verifier: verifier });
  const response = await fetch(`${s.url}/session/terminal/token`, { method: 'POST', body });
  return { status: response.status, answer: (await response.json()) as { token?: string; error?: string } };
};

/** Returns the code that the page shows for a terminal with this verifier. */
async function codeFor(verifier: string, browser: Browser): Promise<string> {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const page = await agree(browser, `${s.url}/session/terminal?challenge=${challenge}&name=desk`);
  return /id="code">([^<]+)</.exec(page.text)?.[1] ?? '';
}

it('login stores a token that the session of a browser gives, and the token acts as the person', async () => {
  const browser = await signedIn();
  const ran = await logIn(async (url) => {
    const visit = await agree(browser, url);
    const back = new URL(visit.headers.get('location') ?? '');
    expect([visit.status, back.hostname, back.searchParams.get('state')]).toEqual([
      303,
      '127.0.0.1',
      new URL(url).searchParams.get('challenge'),
    ]);
    expect((await fetch(`${back.origin}/?code=x&state=y`)).status).toBe(404);
    expect(await (await fetch(back)).text()).toContain('You can close this page');
  });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('as service@acme.test of acme')]);
  expect(ran.opened).toEqual([expect.stringContaining('/session/terminal?challenge=')]);
  const stored = JSON.parse(await readFile(join(home, 'interlock', 'logins.json'), 'utf8')) as {
    byAddress: Record<string, { token: string }>;
  };
  const token = stored.byAddress[s.url]?.token ?? '';
  expect((await s.graphql(`{ viewer { email } }`, {}, token)).data).toEqual({ viewer: { email: 'service@acme.test' } });
  const [row] = await s.rows<{ name: string; days: number }>(
    `select name, round(extract(epoch from expires_at - $1::timestamptz) / 86400) as days from api_token where name like 'Terminal %'`,
    [new Date(now).toISOString()],
  );
  expect(row).toMatchObject({ name: expect.stringMatching(/^Terminal \S+$/), days: '90' });
});

describe('logout', () => {
  const storedToken = async (): Promise<string | null> => {
    const text = await readFile(join(home, 'interlock', 'logins.json'), 'utf8');
    const { byAddress } = JSON.parse(text) as { byAddress: Record<string, { token: string }> };
    return byAddress[s.url]?.token ?? null;
  };
  const refusal = async (token: string): Promise<unknown> =>
    (await s.graphql('{ viewer { email } }', {}, token)).errors?.[0]?.extensions?.['code'] ?? null;
  const byBrowser = async (): Promise<string> => {
    const browser = await signedIn();
    await logIn(async (url) => await fetch((await agree(browser, url)).headers.get('location') ?? ''));
    return (await storedToken()) ?? '';
  };
  const typed = async (token: string): Promise<CommandRun> =>
    await runIn({ env: { XDG_CONFIG_HOME: home }, cwd: home, typed: `${token}\n` }, 'login', s.url);
  const logOut = async (...flags: string[]): Promise<CommandRun> =>
    await runIn({ env: { XDG_CONFIG_HOME: home }, cwd: home }, 'logout', ...flags);

  it('revokes a token that a browser gave', async () => {
    const token = await byBrowser();
    const { code, stdout } = await logOut();
    expect([code, stdout]).toEqual([
      0,
      `The token of ${s.url} is deleted on this machine. The service has revoked the token.\n`,
    ]);
    expect([await storedToken(), await refusal(token)]).toEqual([null, 'UNAUTHENTICATED']);
  });

  it('only deletes the token with --local', async () => {
    const token = await byBrowser();
    expect(JSON.parse((await logOut('--local', '--json')).stdout)).toEqual({ url: s.url, revoked: false });
    expect([await storedToken(), await refusal(token)]).toEqual([null, null]);
  });

  it('revokes a token that was typed at login only with --revoke', async () => {
    const token = await byBrowser();
    await typed(token);
    expect((await logOut('--json')).stdout).toContain('"revoked": false');
    expect(await refusal(token)).toBeNull();
    await typed(token);
    expect((await logOut('--json', '--revoke')).stdout).toContain('"revoked": true');
    expect(await refusal(token)).toBe('UNAUTHENTICATED');
  });

  it('deletes a token that the service no longer accepts', async () => {
    const token = await byBrowser();
    await s.graphql('mutation { revokeApiToken(input: {}) { apiToken { id } } }', {}, token);
    const { code, stdout } = await logOut();
    expect([code, stdout]).toEqual([0, expect.stringContaining('The service did not accept the token any more.')]);
    expect(await storedToken()).toBeNull();
  });

  it('keeps the token if the service does not answer', async () => {
    const file = join(home, 'interlock', 'logins.json');
    const away = 'http://127.0.0.1:1';
    const login = { token: 'il_user_x', user: 'ada', isOwn: true };
    await writeFile(file, JSON.stringify({ latest: away, byAddress: { [away]: login } }));
    const { code, stderr } = await logOut();
    expect([code, stderr]).toEqual([3, expect.stringContaining(`interlock logout ${away} --local`)]);
    expect(await readFile(file, 'utf8')).toContain('il_user_x');
    expect((await logOut('--local')).code).toBe(0);
    expect(await readFile(file, 'utf8')).not.toContain('il_user_x');
  });
});

it('a browser without a session is sent to the sign-in first, and then back', async () => {
  const path = `/session/terminal?challenge=${'a'.repeat(43)}&name=desk&port=4711`;
  const browser = openBrowser(s);
  const away = await browser.get(path);
  expect([away.status, away.headers.get('location')]).toEqual([303, `/session?next=${encodeURIComponent(path)}`]);
  const back = await browser.submit('/session', { token: s.token, next: path });
  expect(back.headers.get('location')).toBe(path);
  const page = await browser.get(path);
  expect(page.text).toContain(
    'The terminal on <strong>desk</strong> wants to act as <strong>service@acme.test</strong>',
  );
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:4711;");
});

it('a typed code gives a token once, only to the terminal that asked, for five minutes, and while the session lasts', async () => {
  const browser = await signedIn();
  const typed = (await codeFor('mine', browser)).toLowerCase().replaceAll('-', ' ');
  expect((await exchange(typed, 'mine')).answer.token).toMatch(/^il_user_/);
  const again = await exchange(typed, 'mine');
  expect([again.status, again.answer.error]).toEqual([404, expect.stringContaining('was used already')]);
  const code = await codeFor('mine', browser);
  expect((await exchange(code, 'somebody else')).status).toBe(404);
  expect((await exchange(code, 'mine')).status).toBe(404);
  const old = await codeFor('mine', browser);
  now += 5 * 60_000;
  expect((await exchange(old, 'mine')).status).toBe(404);
  const orphan = await codeFor('mine', browser);
  await browser.submit('/session/end');
  expect((await exchange(orphan, 'mine')).status).toBe(401);
});

it.each([
  ['a request from a page of another site', { origin: 'https://evil.test' }, 403],
  ['an invalid request', {}, 400],
])('no code is given for %s', async (_what, headers, status) => {
  const browser = await signedIn();
  expect((await browser.submit('/session/terminal', { challenge: 'short' }, headers)).status).toBe(status);
});

it('login --no-browser prints a link and reads the code', async () => {
  const ran = await runIn(
    { env: { XDG_CONFIG_HOME: home }, cwd: home, typed: 'BCDF-BCDF-BCDF\n' },
    'login',
    s.url,
    '--no-browser',
  );
  expect([ran.code, ran.opened]).toEqual([4, []]);
  expect(printed(ran.stderr)).not.toContain('port=');
  expect(ran.stderr).toContain('belongs to another terminal');
});

it.each([
  ['challenge=short', null],
  [`challenge=${'a'.repeat(43)}&port=22`, null],
  [`challenge=${'a'.repeat(43)}&port=65536`, null],
  [`challenge=${'a'.repeat(43)}&name=a b<c`, { challenge: 'a'.repeat(43), name: 'abc', port: null }],
  [`challenge=${'a'.repeat(43)}&port=4711`, { challenge: 'a'.repeat(43), name: 'unnamed', port: 4711 }],
])('the query %s is read as %j', (query, expected) => {
  expect(readTerminalAddress(new URLSearchParams(query))).toEqual(expected);
});
