import { describe, expect, it } from 'vitest';
import {
  decideConfirmation,
  decideOidcAccess,
  lacksClaims,
  type Claims,
  type OidcRules,
} from '../../../src/domain/accounts/oidc.ts';
import { OidcSettingsRefused, readOidcSettings } from '../../../src/domain/accounts/oidc-settings.ts';

const rules: OidcRules = {
  groupsClaim: 'groups',
  roles: [
    { group: 'developers', account: 'acme', role: 'member' },
    { group: 'platform', account: 'acme', role: 'admin' },
    { group: 'partners', account: 'other', role: 'maintainer' },
  ],
  emailDomains: ['acme.test'],
  trustsEmail: false,
};
const claims: Claims = { email: 'Mia@acme.test', email_verified: true, groups: ['developers'] };
const granted = (account: string, role: string) => ({ kind: 'granted', account, role, email: 'mia@acme.test' });
const path = { ...rules, groupsClaim: 'realm_access.roles' };
const everybody: OidcRules = { ...rules, roles: [{ group: '*', account: 'acme', role: 'member' }] };

describe('the claims of a person give', () => {
  it.each<[string, OidcRules, Claims, string | null, object]>([
    ['the role of the group', rules, claims, null, granted('acme', 'member')],
    ['the highest role', rules, { ...claims, groups: ['developers', 'platform'] }, null, granted('acme', 'admin')],
    [
      'the first account of the rules',
      rules,
      { ...claims, groups: ['partners', 'developers'] },
      null,
      granted('acme', 'member'),
    ],
    [
      'the account that was requested',
      rules,
      { ...claims, groups: ['partners', 'developers'] },
      'other',
      granted('other', 'maintainer'),
    ],
    [
      'the role of a group that is a text instead of a list',
      rules,
      { ...claims, groups: 'platform' },
      null,
      granted('acme', 'admin'),
    ],
    [
      'the role of a claim inside a claim',
      path,
      { ...claims, realm_access: { roles: ['platform'] } },
      null,
      granted('acme', 'admin'),
    ],
    [
      'the role of a claim with dots in its name',
      path,
      { ...claims, 'realm_access.roles': ['platform'] },
      null,
      granted('acme', 'admin'),
    ],
    [
      'a role for everybody of the domains',
      everybody,
      { email: 'mia@acme.test', email_verified: 'true' },
      null,
      granted('acme', 'member'),
    ],
    [
      'a role by a trusted address',
      { ...rules, trustsEmail: true },
      { ...claims, email_verified: undefined },
      null,
      granted('acme', 'member'),
    ],
  ])('%s', (_what, by, of, account, access) => {
    expect(decideOidcAccess(by, of, { account })).toEqual(access);
  });

  it.each<[string, Claims, string | null, string]>([
    ['without an address', { ...claims, email: undefined }, null, 'Add the scope email to OIDC_SCOPES'],
    ['with an address that is not verified', { ...claims, email_verified: false }, null, 'OIDC_TRUST_EMAIL=true'],
    [
      'with an address without a statement about its verification',
      { ...claims, email_verified: undefined },
      null,
      'has not verified',
    ],
    ['with an address whose verification is not a boolean', { ...claims, email_verified: 1 }, null, 'has not verified'],
    [
      'of a foreign domain',
      { ...claims, email: 'mia@acme.test.evil.test' },
      null,
      'Addresses of acme.test.evil.test may not',
    ],
    ['of no group', { ...claims, groups: ['guests'] }, null, 'is in no group that may use Interlock. OIDC_ROLES names'],
    ['of no group of the account', claims, 'other', 'is in no group that may use other'],
    ['whose groups are not texts', { ...claims, groups: [1, { developers: true }] }, null, 'is in no group'],
    [
      'of more groups than the limit',
      { ...claims, groups: undefined, _claim_names: { groups: 'src1' } },
      null,
      'in too many groups',
    ],
  ])('nothing %s', (_what, of, account, why) => {
    expect(decideOidcAccess(rules, of, { account })).toEqual({ kind: 'refused', why: expect.stringContaining(why) });
  });

  it.each<[OidcRules, Claims, boolean]>([
    [rules, claims, false],
    [rules, { ...claims, groups: undefined }, true],
    [rules, { ...claims, email: undefined }, true],
    [rules, { ...claims, email_verified: undefined }, true],
    [{ ...rules, trustsEmail: true }, { ...claims, email_verified: undefined }, false],
    [everybody, { ...claims, groups: undefined }, false],
    [rules, { ...claims, groups: undefined, _claim_names: { groups: 'src1' } }, false],
  ])('too little without UserInfo, by %j and %j: %s', (by, of, expected) => {
    expect(lacksClaims(by, of)).toBe(expected);
  });
});

describe('the confirmation by the provider', () => {
  const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
  it.each<[number, boolean, string]>([
    [14, true, 'holds'],
    [15, true, 'ask'],
    [100_000, true, 'ask'],
    [719, false, 'holds'],
    [720, false, 'lapsed'],
  ])('%d minutes old, with a refresh token (%s): %s', (minutes, canAsk, expected) => {
    expect(decideConfirmation({ confirmedAt: at(0), canAsk, now: at(minutes) })).toBe(expected);
  });
  it('that was withdrawn has lapsed', () => {
    expect(decideConfirmation({ confirmedAt: null, canAsk: true, now: at(0) })).toBe('lapsed');
  });
});

describe('the settings', () => {
  const env = {
    OIDC_ISSUER: 'https://id.acme.test/realms/acme',
    OIDC_CLIENT_ID: 'interlock',
    OIDC_ROLES: 'dev=acme:member',
  };
  it('are null without an issuer, and otherwise complete with defaults', () => {
    expect(readOidcSettings({ OIDC_CLIENT_SECRET: '' })).toBeNull();
    expect(readOidcSettings(env)).toEqual({
      issuer: env.OIDC_ISSUER,
      clientId: 'interlock',
      clientSecret: null,
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      roles: [{ group: 'dev', account: 'acme', role: 'member' }],
      emailDomains: [],
      trustsEmail: false,
      prompt: null,
      label: 'id.acme.test',
    });
  });
  it('accept groups with special characters, and domains as people write them', () => {
    const roles = 'CN=devs,DC=acme=acme:member; /platform = acme:admin\n*=other:maintainer';
    expect(
      readOidcSettings({ ...env, OIDC_ROLES: roles, OIDC_EMAIL_DOMAINS: '@Acme.test, example.com' }),
    ).toMatchObject({
      roles: [
        { group: 'CN=devs,DC=acme', account: 'acme', role: 'member' },
        { group: '/platform', account: 'acme', role: 'admin' },
        { group: '*', account: 'other', role: 'maintainer' },
      ],
      emailDomains: ['acme.test', 'example.com'],
    });
  });
  it.each<[Record<string, string>, string]>([
    [{ OIDC_ISSUER: '' }, 'OIDC_ISSUER is missing'],
    [{ OIDC_ISSUER: 'http://id.acme.test' }, 'OIDC_ISSUER must be the https address'],
    [{ OIDC_ISSUER: 'https://id.acme.test/.well-known/openid-configuration' }, 'without /.well-known'],
    [{ OIDC_CLIENT_ID: ' ' }, 'OIDC_CLIENT_ID is missing'],
    [{ OIDC_SCOPES: 'email' }, 'OIDC_SCOPES must contain openid'],
    [{ OIDC_ROLES: '' }, 'OIDC_ROLES is missing'],
    [{ OIDC_ROLES: 'dev=acme:owner' }, 'not "dev=acme:owner"'],
    [{ OIDC_ROLES: '*=acme:member' }, 'Set OIDC_EMAIL_DOMAINS'],
    [{ OIDC_EMAIL_DOMAINS: 'acme' }, 'OIDC_EMAIL_DOMAINS must be domains such as example.com, not acme'],
    [{ OIDC_TRUST_EMAIL: 'yes' }, 'OIDC_TRUST_EMAIL must be true or false'],
  ])('are refused with what to do: %j', (wrong, why) => {
    expect(() => readOidcSettings({ ...env, ...wrong })).toThrow(OidcSettingsRefused);
    expect(() => readOidcSettings({ ...env, ...wrong })).toThrow(why);
  });
});
