// Whether people of the OpenID provider still have what they had: the provider is asked again every fifteen minutes of
// use, by the refresh token of the last sign-in. While it does not answer, the last role counts for twelve hours.
import type { Context, Ports, Role } from '../../context.ts';
import { decideConfirmation, decideOidcAccess } from '../../domain/accounts/oidc.ts';
import { DomainError } from '../../domain/errors.ts';
import { OidcFailure } from '../../platform/oidc/index.ts';
import {
  claimOidcQuestion,
  confirmOidcPerson,
  readOidcMembership,
  withdrawOidcPerson,
  type OidcMembership,
  type Secrets,
} from '../accounts/index.ts';
import type { Oidc } from './sign-in.ts';

const keptMs = 60_000;
const mostKept = 10_000;

/** Answers the role as of now. Throws UNAUTHENTICATED if the person has to sign in again. */
export type ConfirmPerson = (ctx: Context) => Promise<Role>;

export function oidcConfirmation(ports: Ports, secrets: Secrets, oidc: Oidc | null): ConfirmPerson {
  const kept = new Map<string, { readonly role: Promise<Role | null>; readonly until: number }>();
  return async (ctx) => {
    const { userId, role, isAtOidc, sessionId } = ctx.actor;
    if (!isAtOidc || userId === null) return role;
    const now = ports.clock().getTime();
    // A sign-in makes a new session, for which the rows are read again.
    const key = JSON.stringify([userId, sessionId, role]);
    const known = kept.get(key);
    if (known === undefined || known.until <= now) {
      if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string);
      const asked = confirm(ctx, secrets, { oidc, userId });
      asked.catch(() => kept.delete(key));
      kept.set(key, { role: asked, until: now + keptMs });
    }
    const found = await kept.get(key)?.role;
    if (found) return found;
    kept.delete(key);
    throw new DomainError(
      'UNAUTHENTICATED',
      'Your sign-in at the OpenID provider has ended. Sign in there again with a browser, and this works again.',
    );
  };
}

interface Asking {
  readonly oidc: Oidc;
  readonly userId: string;
  readonly membership: OidcMembership;
  readonly refreshToken: string;
}

/** Null: the person has to sign in again. */
async function confirm(
  ctx: Context,
  secrets: Secrets,
  { oidc, userId }: { readonly oidc: Oidc | null; readonly userId: string },
): Promise<Role | null> {
  const membership = await readOidcMembership(ctx, userId);
  if (membership === null) return null;
  const now = ctx.clock();
  // The provider may have been replaced by another one since.
  const asked = oidc !== null && membership.issuer === oidc.settings.issuer ? oidc : null;
  const decision = decideConfirmation({ ...membership, canAsk: membership.hasRefreshToken && asked !== null, now });
  if (decision === 'holds') return membership.role;
  if (decision === 'lapsed' || asked === null) return null;
  const held = decideConfirmation({ ...membership, canAsk: false, now }) === 'holds' ? membership.role : null;
  // Null: another process asks now.
  const refreshToken = await claimOidcQuestion(ctx, secrets, userId);
  if (refreshToken === null) return held;
  const answer = await ask(ctx, secrets, { oidc: asked, userId, membership, refreshToken });
  return answer === 'unknown' ? held : answer;
}

async function ask(
  ctx: Context,
  secrets: Secrets,
  { oidc, userId, membership, refreshToken }: Asking,
): Promise<Role | null | 'unknown'> {
  try {
    const vouched = await oidc.provider.refresh(refreshToken, membership.subject);
    const { claims } = vouched;
    // A provider need not repeat its claims when a token is refreshed.
    const isTold = typeof claims['email'] === 'string';
    const access = isTold ? decideOidcAccess(oidc.settings, claims, { account: membership.account }) : null;
    if (access?.kind !== 'refused') {
      const role = access?.role ?? null;
      await confirmOidcPerson(ctx, secrets, { userId, role, refreshToken: vouched.refreshToken });
      return role ?? 'unknown';
    }
    ctx.log.info({ userId, why: access.why }, 'A person lost all access at the OpenID provider.');
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error;
    ctx.log.warn({ err: error }, 'The OpenID provider did not say what a person may do.');
    if (error.kind !== 'over') return 'unknown';
  }
  await withdrawOidcPerson(ctx, userId);
  return null;
}
