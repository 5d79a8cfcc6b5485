// The OpenID provider at which people sign in, read from environment variables. docs/sign-in.md explains each variable.
import { isLoopback } from './sign-in.ts';
import type { GroupRule, OidcRules } from './oidc.ts';

export interface OidcSettings extends OidcRules {
  /** The issuer, exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** The client's secret. Null: the client is public, and is authenticated only by PKCE. */
  readonly clientSecret: string | null;
  /** The scopes, with spaces between them. `openid` is one of them. */
  readonly scopes: string;
  /** What the provider demands from the person at each sign-in, such as `consent`. Null: the provider decides. */
  readonly prompt: string | null;
  /** The label of the sign-in button, after "Sign in with". */
  readonly label: string;
}

/** A variable is missing or wrong. The message names the variable, and says what to do. */
export class OidcSettingsRefused extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. Null: people do not sign in by OIDC. Throws OidcSettingsRefused. */
export function readOidcSettings(env: Environment): OidcSettings | null {
  const issuer = valueOf(env, 'OIDC_ISSUER');
  if (issuer === null) {
    const others = Object.keys(env).find((name) => name.startsWith('OIDC_') && env[name]?.trim());
    if (others === undefined) return null;
    throw new OidcSettingsRefused(`${others} is set, and OIDC_ISSUER is missing: the address of the OpenID provider.`);
  }
  const url = checkedIssuer(issuer);
  const clientId = valueOf(env, 'OIDC_CLIENT_ID');
  if (clientId === null)
    throw new OidcSettingsRefused('OIDC_CLIENT_ID is missing: the identifier that the provider gave this application.');
  const scopes = valueOf(env, 'OIDC_SCOPES') ?? 'openid email profile';
  if (!scopes.split(/\s+/).includes('openid'))
    throw new OidcSettingsRefused(`OIDC_SCOPES must contain openid, such as "openid email profile", not "${scopes}".`);
  const emailDomains = readDomains(valueOf(env, 'OIDC_EMAIL_DOMAINS'));
  const roles = readRoles(valueOf(env, 'OIDC_ROLES'));
  if (emailDomains.length === 0 && roles.some(({ group }) => group === '*'))
    throw new OidcSettingsRefused(
      'OIDC_ROLES has the group *, which is everybody at the provider. Set OIDC_EMAIL_DOMAINS to the domains of your people.',
    );
  return {
    issuer,
    clientId,
    clientSecret: valueOf(env, 'OIDC_CLIENT_SECRET'),
    scopes,
    groupsClaim: valueOf(env, 'OIDC_GROUPS_CLAIM') ?? 'groups',
    roles,
    emailDomains,
    trustsEmail: readFlag(env, 'OIDC_TRUST_EMAIL'),
    prompt: valueOf(env, 'OIDC_PROMPT'),
    label: valueOf(env, 'OIDC_LABEL') ?? url.host,
  };
}

function valueOf(env: Environment, name: string): string | null {
  return env[name]?.trim() || null;
}

function checkedIssuer(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isSafe = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.host)));
  if (!isSafe || url.search !== '' || url.hash !== '' || issuer.endsWith('/.well-known/openid-configuration'))
    throw new OidcSettingsRefused(
      `OIDC_ISSUER must be the https address that the provider calls its issuer, without /.well-known/openid-configuration, not ${issuer}.`,
    );
  return url;
}

/** `group=account:role`, with semicolons or line breaks between them. Groups may have = in their names. */
function readRoles(text: string | null): GroupRule[] {
  const rules = (text ?? '')
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (rules.length === 0)
    throw new OidcSettingsRefused(
      'OIDC_ROLES is missing. It says which groups of the provider have which role in which account, such as "platform=acme:admin; developers=acme:member".',
    );
  return rules.map((entry) => {
    const [, group, account, role] = /^(.*\S)\s*=\s*([^=]*\S)\s*:\s*(admin|maintainer|member)$/.exec(entry) ?? [];
    if (group === undefined || account === undefined || role === undefined)
      throw new OidcSettingsRefused(
        `OIDC_ROLES must have entries <group>=<account>:<role> with the role admin, maintainer or member, not "${entry}".`,
      );
    return { group, account, role: role as GroupRule['role'] };
  });
}

function readDomains(text: string | null): string[] {
  const domains = (text ?? '')
    .split(/[\s,;]+/)
    .map((domain) => domain.toLowerCase().replace(/^@/, ''))
    .filter((domain) => domain !== '');
  const wrong = domains.find((domain) => !/^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(domain));
  if (wrong !== undefined)
    throw new OidcSettingsRefused(`OIDC_EMAIL_DOMAINS must be domains such as example.com, not ${wrong}.`);
  return domains;
}

function readFlag(env: Environment, name: string): boolean {
  const text = valueOf(env, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw new OidcSettingsRefused(`${name} must be true or false, not ${text}.`);
  return text === 'true';
}
