// People who sign in at an OpenID provider: who may sign in, with which role, and for how long.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineOidc, openOidc, revokeUnusedTokens } from '../../src/modules/oidc/index.ts';
import type { OidcSettings } from '../../src/domain/accounts/oidc-settings.ts';
import { encrypt } from '../../src/modules/accounts/index.ts';
import { OidcFailure, openOidcProvider } from '../../src/platform/oidc/index.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf } from './account.ts';
import { openBrowser, type Browser, type Visit } from './browser.ts';
import { openIdProvider, type OpenIdProvider } from './openid-provider.ts';

let p: OpenIdProvider;
let s: TestServer;
let now = Date.now();
const logged: string[] = [];
const later = (minutes: number): void => void (now += minutes * 60_000);

const settingsOf = ({ issuer, clientId, clientSecret }: OpenIdProvider): OidcSettings => ({
  issuer,
  clientId,
  clientSecret,
  scopes: 'openid email groups offline_access',
  groupsClaim: 'groups',
  roles: [
    { group: 'platform', account: 'acme', role: 'admin' },
    { group: 'developers', account: 'acme', role: 'member' },
    { group: 'guests', account: 'elsewhere', role: 'member' },
  ],
  emailDomains: ['acme.test'],
  trustsEmail: false,
  prompt: 'consent',
  label: 'Acme',
});

beforeAll(async () => {
  p = await openIdProvider('http://localhost:4000/session/oidc/callback');
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) });
  s = await startServer({ clock: () => new Date(now), oidc: settingsOf(p), log });
});
afterAll(async () => {
  await s.close();
  await p[Symbol.asyncDispose]();
});

function person(subject: string, claims: object = {}): void {
  p.people.set(subject, { email: `${subject}@acme.test`, email_verified: true, groups: ['developers'], ...claims });
}

/**
 * Signs a person in with a new browser. `there` and `back` change the addresses to the provider and back to the
 * service.
 */
async function signIn(
  subject: string,
  { there = (url: URL) => url, back = (url: URL) => url } = {},
): Promise<Visit & { readonly browser: Browser }> {
  p.atKeyboard = subject;
  const browser = openBrowser(s);
  const form = await browser.get('/session?next=/acme/shop/queue/main');
  const [, way = ''] = /href="(\/session\/oidc[^"]*)">Sign in with Acme</.exec(form.text) ?? [];
  const started = await browser.get(way.replaceAll('&amp;', '&'));
  const asked = there(new URL(started.headers.get('location') ?? ''));
  const returned = back(await p.walk(asked.href));
  return { ...(await browser.get(returned.pathname + returned.search)), browser };
}

const whoAmI = '{ viewer { email handle role } }';
async function answerTo(browser: Browser, query = whoAmI): Promise<unknown> {
  const { answer } = await browser.graphql(query);
  return answer.errors?.map(({ extensions }) => extensions.code) ?? answer.data;
}
const viewer = (email: string, role: string): object => ({ viewer: { email, handle: null, role } });

describe('signing in at the OpenID provider', () => {
  it("makes a user at the first sign-in, and gives the highest role of the person's groups", async () => {
    person('mia');
    const visit = await signIn('mia');
    expect([visit.status, visit.headers.get('location')]).toEqual([303, '/acme/shop/queue/main']);
    expect(visit.browser.cookie).toMatch(/^interlock=[\w-]{43}$/);
    expect(await answerTo(visit.browser)).toEqual(viewer('mia@acme.test', 'MEMBER'));
    person('mia', { groups: ['developers', 'platform'] });
    expect(await answerTo((await signIn('mia')).browser)).toEqual(viewer('mia@acme.test', 'ADMIN'));
    expect(await s.rows("select 1 from account_user where email = 'mia@acme.test'")).toHaveLength(1);
    const stored = await s.rows<{ row: string }>(
      'select to_jsonb(p)::text as row from oidc_person p union all select to_jsonb(x)::text from user_session x',
    );
    const shown = stored
      .map(({ row }) =>
        row.replace(/\\\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
      )
      .join();
    expect(shown).toContain('refresh_token');
    expect(shown).not.toContain('eyJ');
  });

  it('keeps the role of a user that an admin added before with the same email address', async () => {
    await accountOf(s).add('ada', { role: 'maintainer' });
    person('ada-at-work', { email: 'Ada@acme.test', groups: ['platform'] });
    expect(await answerTo((await signIn('ada-at-work')).browser, '{ viewer { email role } }')).toEqual({
      viewer: { email: 'ada@acme.test', role: 'MAINTAINER' },
    });
  });

  it.each([
    [
      'an address that the provider has not verified',
      { email: 'service@acme.test', email_verified: false },
      403,
      'has not verified the email address',
    ],
    [
      'the address of the service user',
      { email: 'service@acme.test' },
      409,
      'is the address of the account&#39;s service user',
    ],
    ['the address of another person', { email: 'mia@acme.test' }, 409, 'belongs to another person'],
    [
      'an address of a domain that may not sign in',
      { email: 'eve@evil.test' },
      403,
      'Addresses of evil.test may not sign in',
    ],
    ['a person without a group', { groups: [] }, 403, 'is in no group that may use Interlock'],
    ['an account that does not exist', { groups: ['guests'] }, 404, 'the account elsewhere, which does not exist'],
  ])('refuses %s', async (_what, claims, status, why) => {
    person('eve', claims);
    const visit = await signIn('eve');
    expect([visit.status, visit.browser.cookie]).toEqual([status, '']);
    expect(visit.text).toContain(why);
  });

  const changed = (name: string, value: string) => (url: URL) => {
    url.searchParams.set(name, value);
    return url;
  };
  it.each([
    ['a wrong state', { back: changed('state', 'x') }, 'did not accept this sign-in'],
    ['a wrong nonce', { there: changed('nonce', 'x') }, 'belongs to another sign-in'],
    ['a wrong code', { back: changed('code', 'x') }, 'must be http://localhost:4000/session/oidc/callback'],
    ['a wrong PKCE challenge', { there: changed('code_challenge', 'x'.repeat(43)) }, 'did not accept the code'],
    [
      'a person who declines',
      { back: (url: URL) => changed('error', 'access_denied')((url.searchParams.delete('code'), url)) },
      'did not sign you in: access_denied',
    ],
  ])('refuses %s', async (_what, changes, why) => {
    const visit = await signIn('mia', changes);
    expect([visit.status, visit.browser.cookie]).toEqual([403, '']);
    expect(visit.text).toContain(why);
  });

  it('refuses an ID token that has expired, an answer that comes too late, and an answer without a beginning', async () => {
    p.idTokenSec = 60;
    const old = await signIn('mia', { back: (url) => (later(5), url) });
    expect([old.status, old.text]).toEqual([403, expect.stringContaining('the clock of this server')]);
    p.idTokenSec = 3600;
    const late = await signIn('mia', { back: (url) => (later(11), url) });
    expect([late.status, late.text]).toEqual([400, expect.stringContaining('did not begin to sign in here')]);
    now = Date.now();
    const foreign = await openBrowser(s).get('/session/oidc/callback?code=x&state=x');
    expect(foreign.status).toBe(400);
  });

  it('works after the provider has changed its signing key', async () => {
    await p.rotateKeys();
    expect((await signIn('mia')).status).toBe(303);
  });

  it('says that the provider does not answer, and that other ways to sign in work', async () => {
    const gone = await openIdProvider('http://localhost:4000/session/oidc/callback');
    await gone[Symbol.asyncDispose]();
    const oidc = openOidc(s.ports, settingsOf(gone));
    await expect(oidc.provider.begin()).rejects.toThrow('did not answer. Sign in another way');
    const [finding] = await examineOidc(s.ports.db, oidc);
    expect(finding).toMatchObject({ state: 'warning', message: expect.stringContaining('did not answer') });
    const findings = await examineOidc(s.ports.db, openOidc(s.ports, settingsOf(p)));
    expect(findings.map(({ state, message }) => [state, message])).toEqual([
      ['ok', expect.stringContaining('http://localhost:4000/session/oidc/callback')],
      ['warning', 'OIDC_ROLES names the account elsewhere, which does not exist.'],
    ]);
  });
});

describe('a session from the OpenID provider', () => {
  it("follows the role of the person's groups, and ends with the last group, as do tokens of the person", async () => {
    person('wim', { groups: ['platform'] });
    const { browser } = await signIn('wim');
    const made = await browser.graphql(
      'mutation { createApiToken(input: {name: "mine", scopes: [QUEUE_READ]}) { token } }',
    );
    const { token } = (made.answer.data as unknown as { createApiToken: { token: string } }).createApiToken;
    person('wim', { groups: ['developers'] });
    expect(await answerTo(browser)).toEqual(viewer('wim@acme.test', 'ADMIN'));
    later(16);
    expect(await answerTo(browser)).toEqual(viewer('wim@acme.test', 'MEMBER'));
    person('wim', { groups: [] });
    later(16);
    expect(await answerTo(browser)).toEqual(['UNAUTHENTICATED']);
    expect((await s.graphql(whoAmI, {}, token)).text).toContain('Sign in again with a browser');
    person('wim');
    const again = await signIn('wim');
    expect(await answerTo(again.browser)).toEqual(viewer('wim@acme.test', 'MEMBER'));
    expect((await s.graphql<object>(whoAmI, {}, token)).data).toEqual(viewer('wim@acme.test', 'MEMBER'));
  });

  it('ends if the provider no longer knows the person', async () => {
    const { browser } = await signIn('mia');
    p.people.delete('mia');
    later(16);
    expect(await answerTo(browser)).toEqual(['UNAUTHENTICATED']);
    person('mia');
  });

  it('ends if an admin removes the user, and the user cannot sign in again', async () => {
    person('una');
    const { browser } = await signIn('una');
    const [user] = await s.rows<{ id: string }>("select id from account_user where email = 'una@acme.test'");
    await accountOf(s).remove(Buffer.from(`User:${user?.id ?? ''}`).toString('base64url'));
    expect(await answerTo(browser)).toEqual(['UNAUTHENTICATED']);
    const visit = await signIn('una');
    expect([visit.status, visit.text]).toEqual([403, expect.stringContaining('An admin removed una@acme.test')]);
  });

  it('ends at sign-out, and also at the provider if the person wants it', async () => {
    person('wim');
    const { browser } = await signIn('wim');
    const ended = await browser.submit('/session/end');
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/session']);
    expect((await browser.get('/session')).text).toContain('still signed in at Acme');
    const out = await browser.get('/session/oidc/end');
    const there = new URL(out.headers.get('location') ?? '');
    expect([there.origin, there.searchParams.get('post_logout_redirect_uri')]).toEqual([
      p.issuer,
      'http://localhost:4000/session',
    ]);
    const asked = await fetch(there, { redirect: 'manual' });
    expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('/session/end/confirm')]);
    expect((await browser.get('/session')).text).not.toContain('still signed in');
  });

  it('ends at sign-out although its ID token cannot be decrypted, and the log says so', async () => {
    person('ivy');
    const { browser } = await signIn('ivy');
    const ivy = "select id from account_user where email = 'ivy@acme.test'";
    await s.rows(
      `update user_session set id_token = set_byte(id_token, 20, 255 - get_byte(id_token, 20)) where user_id = (${ivy})`,
    );
    logged.length = 0;
    expect((await browser.submit('/session/end')).status).toBe(303);
    expect(await answerTo(browser)).toEqual(['UNAUTHENTICATED']);
    expect(logged).toEqual([expect.stringContaining('cannot decrypt the ID token of a session')]);
    expect((await browser.get('/session')).text).not.toContain('still signed in');
  });

  describe('the refresh token of the session', () => {
    const isKept = async (name: string): Promise<boolean> => {
      const [row] = await s.rows<{ kept: boolean }>(
        `select p.refresh_token is not null as kept from oidc_person p
         join account_user u on u.account_id = p.account_id and u.id = p.user_id where u.email = $1`,
        [`${name}@acme.test`],
      );
      return row?.kept ?? false;
    };
    const damage = async (name: string, byte = 20): Promise<void> =>
      void (await s.rows(
        `update oidc_person p set refresh_token = set_byte(p.refresh_token, $2, 255 - get_byte(p.refresh_token, $2))
         from account_user u where u.account_id = p.account_id and u.id = p.user_id and u.email = $1`,
        [`${name}@acme.test`, byte],
      ));
    const revoke = async (settings = settingsOf(p)): Promise<void> => {
      later(2);
      await revokeUnusedTokens(s.ports, s.secrets, openOidc(s.ports, settings));
    };

    it('is revoked at the provider when the person has signed out everywhere', async () => {
      await revoke();
      person('kim');
      const [one, other] = [await signIn('kim'), await signIn('kim')];
      const before = p.revoked;
      await one.browser.submit('/session/end');
      await revoke();
      expect([await isKept('kim'), p.revoked]).toEqual([true, before]);
      expect(await answerTo(other.browser)).toEqual(viewer('kim@acme.test', 'MEMBER'));
      await other.browser.submit('/session/end');
      await revoke();
      expect([await isKept('kim'), p.revoked]).toEqual([false, before + 1]);
      await revoke();
      expect(p.revoked).toBe(before + 1);
    });

    it('is revoked later if the provider does not answer, and a newer refresh token is never deleted', async () => {
      person('max');
      const { browser } = await signIn('max');
      await browser.submit('/session/end');
      const away = openOidc(s.ports, settingsOf(p));
      later(2);
      await revokeUnusedTokens(s.ports, s.secrets, {
        ...away,
        provider: openOidcProvider(
          { ...settingsOf(p), issuer: 'http://127.0.0.1:1', redirectUri: '', clock: s.ports.clock },
          () => false,
        ),
      });
      expect(await isKept('max')).toBe(true);
      // The person signs in while the provider revokes the old token.
      later(2);
      await revokeUnusedTokens(s.ports, s.secrets, {
        ...away,
        provider: {
          ...away.provider,
          revoke: async (token) => {
            await away.provider.revoke(token);
            await signIn('max');
          },
        },
      });
      expect(await isKept('max')).toBe(true);
    });

    it('is deleted, with a reason in the log, if it cannot be decrypted, and others are revoked', async () => {
      // The clock of the provider does not move with the clock of the test.
      p.idTokenSec = 86_400;
      logged.length = 0;
      const before = p.revoked;
      for (const name of ['ida', 'jan', 'kai']) {
        person(name);
        const { browser } = await signIn(name);
        if (name === 'jan') await damage(name);
        await browser.submit('/session/end');
      }
      await revoke();
      // The server revokes refresh tokens too, every minute.
      await expect
        .poll(async () => [await isKept('ida'), await isKept('jan'), await isKept('kai')])
        .toEqual([false, false, false]);
      expect(p.revoked).toBe(before + 2);
      expect(logged.filter((line) => line.includes('cannot decrypt'))).toEqual([
        expect.stringContaining('may still be valid at the OpenID provider'),
      ]);
    });

    it('is revoked although the provider does not revoke those of twenty other people', async () => {
      // The clock of the provider does not move with the clock of the test.
      p.idTokenSec = 86_400;
      const users = await s.rows<{ id: string }>(
        `insert into account_user (account_id, email, role, role_from, created_at)
         select $1, 'stuck-' || n || '@acme.test', 'member', 'oidc', now() from generate_series(1, 20) n returning id::text`,
        [s.accountId],
      );
      for (const { id } of users)
        await s.rows(
          'insert into oidc_person (account_id, user_id, issuer, subject, refresh_token) values ($1, $2::bigint, $3, $2::bigint::text, $4)',
          [
            s.accountId,
            id,
            p.issuer,
            encrypt(s.secrets, `oidc-refresh-token/${s.accountId}/${id}`, Buffer.from('stuck')),
          ],
        );
      person('uma');
      await (await signIn('uma')).browser.submit('/session/end');
      const opened = openOidc(s.ports, settingsOf(p));
      const revoking = async (token: string): Promise<void> => {
        if (token === 'stuck') throw new OidcFailure('refused', 'The provider refused.');
        await opened.provider.revoke(token);
      };
      for (const _round of [1, 2]) {
        later(2);
        await revokeUnusedTokens(s.ports, s.secrets, { ...opened, provider: { ...opened.provider, revoke: revoking } });
      }
      expect(await isKept('uma')).toBe(false);
      await s.rows('delete from oidc_person where user_id = any ($1::bigint[])', [users.map(({ id }) => id)]);
    });

    it('stays if another version of Interlock encrypted it, which can decrypt it', async () => {
      // The clock of the provider does not move with the clock of the test.
      p.idTokenSec = 86_400;
      for (const name of ['eli', 'fay']) {
        person(name);
        const { browser } = await signIn(name);
        if (name === 'eli') await damage(name, 0);
        await browser.submit('/session/end');
      }
      await revoke();
      await expect.poll(async () => [await isKept('eli'), await isKept('fay')]).toEqual([true, false]);
      await damage('eli', 0);
      await revoke();
      await expect.poll(async () => await isKept('eli')).toBe(false);
    });

    it('that cannot be decrypted counts as none while the person is signed in', async () => {
      p.idTokenSec = 86_400;
      person('lou');
      const { browser } = await signIn('lou');
      await damage('lou');
      later(16);
      expect(await answerTo(browser)).toEqual(viewer('lou@acme.test', 'MEMBER'));
      expect(await isKept('lou')).toBe(false);
    });

    it('stays while a token of the person is valid, and is deleted when the sessions have expired and the token is revoked', async () => {
      person('lea', { groups: ['platform'] });
      const { browser } = await signIn('lea');
      const { answer } = await browser.graphql(
        'mutation { createApiToken(input: {name: "mine", kind: USER, scopes: [QUEUE_READ]}) { token } }',
      );
      const { token } = (answer.data as unknown as { createApiToken: { token: string } }).createApiToken;
      // The clock of the provider does not move with the clock of the test.
      p.idTokenSec = 86_400;
      later(13 * 60);
      await revoke();
      expect(await isKept('lea')).toBe(true);
      const revoked = await s.graphql('mutation { revokeApiToken(input: {}) { apiToken { name } } }', {}, token);
      expect(revoked.data).toEqual({ revokeApiToken: { apiToken: { name: 'mine' } } });
      await revoke();
      expect(await isKept('lea')).toBe(false);
    });
  });

  it.each([
    ['that the person is unknown', '/token' as const, (): void => void p.people.delete('noa')],
    ['that the person has no group any more', '/me' as const, (): void => person('noa', { groups: [] })],
  ])('stays if the person signs in again before the provider answers %s', async (_answer, path, change) => {
    // The clock of the provider does not move with the clock of the test.
    p.idTokenSec = 86_400;
    person('noa', { groups: ['developers'] });
    const first = await signIn('noa');
    change();
    later(16);
    const newer: Browser[] = [];
    const run = async (): Promise<void> => {
      person('noa', { groups: ['platform'] });
      newer.push((await signIn('noa')).browser);
    };
    p.beforeAnswer = { path, run };
    expect(await answerTo(first.browser)).toEqual(viewer('noa@acme.test', 'ADMIN'));
    expect(newer).toHaveLength(1);
    for (const browser of newer) expect(await answerTo(browser)).toEqual(viewer('noa@acme.test', 'ADMIN'));
    // The refresh token of the newer sign-in is kept: the provider can be queried with it.
    later(16);
    expect(await answerTo(first.browser)).toEqual(viewer('noa@acme.test', 'ADMIN'));
  });

  it('keeps the role of a newer sign-in if the provider then answers about the older one', async () => {
    p.idTokenSec = 86_400;
    person('ola', { groups: ['developers'] });
    const first = await signIn('ola');
    later(16);
    const run = async (): Promise<void> => {
      person('ola', { groups: ['platform'] });
      await signIn('ola');
    };
    p.beforeAnswer = { path: '/me', run };
    expect(await answerTo(first.browser)).toEqual(viewer('ola@acme.test', 'ADMIN'));
  });
});
