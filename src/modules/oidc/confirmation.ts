// Keeps the roles of people of the OpenID provider up to date. While a person uses Interlock, the provider is queried
// every fifteen minutes with the refresh token of the last sign-in. While the provider does not answer, the last role
// counts for twelve hours.
import type { Context, Ports, Role } from '../../context.ts';
import { decideConfirmation, decideOidcAccess } from '../../domain/accounts/oidc.ts';
import { DomainError } from '../../domain/errors.ts';
import { OidcFailure } from '../../platform/oidc/index.ts';
import {
  claimRefreshToken,
  confirmOidcPerson,
  readOidcMembership,
  withdrawOidcPerson,
  type ClaimedRefreshToken,
  type OidcMembership,
  type Secrets,
} from '../accounts/index.ts';
import type { Oidc } from './sign-in.ts';

const keptMs = 60_000;
const maxKept = 10_000;

/** Returns the present role of the actor. Throws UNAUTHENTICATED if the person has to sign in again. */
export type ConfirmPerson = (ctx: Context) => Promise<Role>;

/** Returns a function that queries the provider when this is due, and caches each answer for a minute. */
export function oidcConfirmation(ports: Ports, secrets: Secrets, oidc: Oidc | null): ConfirmPerson {
  const kept = new Map<string, { readonly role: Promise<Role | null>; readonly until: number }>();
  return async (ctx) => {
    const { userId, role, hasOidcRole, sessionId } = ctx.actor;
    if (!hasOidcRole || userId === null) return role;
    const now = ports.clock().getTime();
    // The key contains the session, so that the rows are read again after a new sign-in.
    const key = JSON.stringify([userId, sessionId, role]);
    const known = kept.get(key);
    if (known === undefined || known.until <= now) {
      if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string);
      const asked = confirm(ctx, secrets, { oidc, userId });
      asked.catch(() => kept.delete(key));
      kept.set(key, { role: asked, until: now + keptMs });
    }
    const found = await kept.get(key)?.role;
    if (found) return found;
    kept.delete(key);
    throw new DomainError(
      'UNAUTHENTICATED',
      'Your sign-in at the OpenID provider has ended. Sign in again with a browser.',
    );
  };
}

interface ProviderQuery {
  readonly oidc: Oidc;
  readonly userId: string;
  readonly membership: OidcMembership;
  readonly refreshToken: ClaimedRefreshToken;
}

/** The present role of a person. Null: the person has to sign in again. */
async function confirm(
  ctx: Context,
  secrets: Secrets,
  { oidc, userId }: { readonly oidc: Oidc | null; readonly userId: string },
): Promise<Role | null> {
  const membership = await readOidcMembership(ctx, userId);
  if (membership === null) return null;
  const now = ctx.clock();
  // Since the person's sign-in, the installation may have changed to another provider, which cannot be queried about
  // this person.
  const asked = oidc !== null && membership.issuer === oidc.settings.issuer ? oidc : null;
  const decision = decideConfirmation({ ...membership, canAsk: membership.hasRefreshToken && asked !== null, now });
  if (decision === 'holds') return membership.role;
  if (decision === 'lapsed' || asked === null) return null;
  const held = decideConfirmation({ ...membership, canAsk: false, now }) === 'holds' ? membership.role : null;
  // Null: another process queries the provider now.
  const refreshToken = await claimRefreshToken(ctx, secrets, userId);
  if (refreshToken === null) return held;
  const answer = await queryProvider(ctx, secrets, { oidc: asked, userId, membership, refreshToken });
  if (answer === 'outdated') return await readHeldRole(ctx, userId);
  return answer === 'unknown' ? held : answer;
}

/** The role that counts without a query of the provider. Null: the person has to sign in again. */
async function readHeldRole(ctx: Context, userId: string): Promise<Role | null> {
  const membership = await readOidcMembership(ctx, userId);
  if (membership === null) return null;
  return decideConfirmation({ ...membership, canAsk: false, now: ctx.clock() }) === 'holds' ? membership.role : null;
}

/** `outdated`: the person has signed in since the query began, so the answer does not count. */
async function queryProvider(
  ctx: Context,
  secrets: Secrets,
  { oidc, userId, membership, refreshToken }: ProviderQuery,
): Promise<Role | null | 'unknown' | 'outdated'> {
  try {
    const identity = await oidc.provider.refresh(refreshToken.token, membership.subject);
    const { claims } = identity;
    // A provider need not repeat the claims when a token is refreshed.
    const hasClaims = typeof claims['email'] === 'string';
    const access = hasClaims ? decideOidcAccess(oidc.settings, claims, { account: membership.account }) : null;
    if (access?.kind !== 'refused') {
      const role = access?.role ?? null;
      const answer = { userId, asked: refreshToken, role, refreshToken: identity.refreshToken };
      if (!(await confirmOidcPerson(ctx, secrets, answer))) return 'outdated';
      return role ?? 'unknown';
    }
    ctx.log.info({ userId, why: access.why }, 'A person lost all access at the OpenID provider.');
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error;
    ctx.log.warn({ err: error }, 'The OpenID provider did not say what a person may do.');
    if (error.kind !== 'over') return 'unknown';
  }
  return (await withdrawOidcPerson(ctx, { userId, asked: refreshToken })) ? null : 'outdated';
}
