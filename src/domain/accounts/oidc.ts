// What a person of an OpenID provider may do in Interlock: the account and the role that follow from the provider's
// claims, and how long the provider's last answer is valid (docs/sign-in.md).

type Role = 'admin' | 'maintainer' | 'member';

/** Gives the members of a provider's group a role in an account. The group `*` is everybody of the allowed domains. */
export interface GroupRule {
  readonly group: string;
  readonly account: string;
  readonly role: Role;
}

export interface OidcRules {
  /** The claim that lists the groups: its name, or a path such as `realm_access.roles`. */
  readonly groupsClaim: string;
  readonly roles: readonly GroupRule[];
  /** The allowed domains of email addresses, in lower case. Empty: every domain is allowed. */
  readonly emailDomains: readonly string[];
  /** Whether every email address of the provider counts as verified, even without the claim `email_verified`. */
  readonly trustsEmail: boolean;
}

/** The claims of an ID token and of UserInfo. */
export type Claims = Readonly<Record<string, unknown>>;

export type OidcAccess =
  | { readonly kind: 'granted'; readonly account: string; readonly role: Role; readonly email: string }
  | { readonly kind: 'refused'; readonly why: string };

const ranks = { member: 1, maintainer: 2, admin: 3 } as const satisfies Record<Role, number>;

/**
 * Decides which role the person gets in the account: the highest role that the person's groups give there. If `account`
 * is null, the account is that of the first rule that applies to the person.
 */
export function decideOidcAccess(
  rules: OidcRules,
  claims: Claims,
  { account: wanted }: { readonly account: string | null },
): OidcAccess {
  const email = typeof claims['email'] === 'string' ? claims['email'].trim().toLowerCase() : '';
  const why = emailProblem(rules, claims, email) ?? groupsProblem(rules, claims);
  if (why !== null) return { kind: 'refused', why };
  const groups = new Set(groupsOf(rules, claims));
  const given = rules.roles.filter(({ group }) => group === '*' || groups.has(group));
  const account = wanted ?? given[0]?.account;
  const [role] = given
    .filter((rule) => rule.account === account)
    .map((rule) => rule.role)
    .toSorted((a, b) => ranks[b] - ranks[a]);
  if (account === undefined || role === undefined)
    return {
      kind: 'refused',
      why: `${email} is in no group that may use ${wanted ?? 'Interlock'}. ${groupCure(rules)}`,
    };
  return { kind: 'granted', account, role, email };
}

/** Whether the ID token lacks claims, so that UserInfo must be queried. */
export function lacksClaims(rules: OidcRules, claims: Claims): boolean {
  if (hasOverage(rules, claims)) return false;
  const needsGroups =
    rules.roles.some(({ group }) => group !== '*') && claimAt(rules.groupsClaim, claims) === undefined;
  const needsEmail =
    typeof claims['email'] !== 'string' || (!rules.trustsEmail && claims['email_verified'] === undefined);
  return needsGroups || needsEmail;
}

function emailProblem({ trustsEmail, emailDomains }: OidcRules, claims: Claims, email: string): string | null {
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    return 'The provider sent no email address. Add the scope email to OIDC_SCOPES, and give the user an address at the provider.';
  // Some providers send the text "true" instead of the boolean.
  const isVerified = claims['email_verified'] === true || claims['email_verified'] === 'true';
  if (!isVerified && !trustsEmail)
    return `The provider has not verified the email address ${email}. Verify the address at the provider. If every address there belongs to its user, set OIDC_TRUST_EMAIL=true.`;
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (emailDomains.length > 0 && !emailDomains.includes(domain))
    return `Addresses of ${domain} may not sign in. OIDC_EMAIL_DOMAINS lists the domains that may.`;
  return null;
}

function groupsProblem(rules: OidcRules, claims: Claims): string | null {
  if (!hasOverage(rules, claims)) return null;
  return `The provider left out the claim ${rules.groupsClaim}, because the user is in too many groups. Let the provider send only the groups that are assigned to this application.`;
}

/** Entra ID names the claims that it left out in `_claim_names`. */
function hasOverage({ groupsClaim, roles }: OidcRules, claims: Claims): boolean {
  const left = claims['_claim_names'];
  return typeof left === 'object' && left !== null && groupsClaim in left && roles.some(({ group }) => group !== '*');
}

function groupsOf({ groupsClaim }: OidcRules, claims: Claims): string[] {
  const found = claimAt(groupsClaim, claims);
  if (typeof found === 'string') return [found];
  return Array.isArray(found) ? found.filter((group) => typeof group === 'string') : [];
}

/** Reads a claim by its whole name first, because a name may be an address with dots in it, and then as a path. */
function claimAt(name: string, claims: Claims): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

function groupCure({ groupsClaim, roles }: OidcRules): string {
  if (roles.every(({ group }) => group === '*')) return 'OIDC_ROLES names the accounts.';
  return `OIDC_ROLES names the groups, and the provider lists the groups of a user in the claim ${groupsClaim}.`;
}

const minuteMs = 60_000;
/** How often the provider is queried again about a person who uses Interlock. */
const askedEveryMs = 15 * minuteMs;
/** How long the provider's last answer is valid if the provider cannot be queried. */
const holdsMs = 12 * 60 * minuteMs;

/**
 * `holds`: the role is still valid. `ask`: the provider must be queried, and the role is valid until it answers.
 * `lapsed`: the person must sign in again.
 */
export function decideConfirmation({
  confirmedAt,
  canAsk,
  now,
}: {
  readonly confirmedAt: Date | null;
  /** Whether the provider gave a refresh token. */
  readonly canAsk: boolean;
  readonly now: Date;
}): 'holds' | 'ask' | 'lapsed' {
  if (confirmedAt === null) return 'lapsed';
  const ageMs = now.getTime() - confirmedAt.getTime();
  if (ageMs < askedEveryMs) return 'holds';
  if (canAsk) return 'ask';
  return ageMs < holdsMs ? 'holds' : 'lapsed';
}
