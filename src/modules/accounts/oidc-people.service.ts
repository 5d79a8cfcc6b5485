// Makes people of the OpenID provider users of an account. The provider's subject identifies a person. If an admin has
// added a user with the person's email address, the person becomes this user, because the provider has verified the
// address (docs/sign-in.md).
import { scopes, systemContext, type Context, type Ports, type Role } from '../../context.ts';
import { earliestValidSession } from '../../domain/accounts/sign-in.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { checkedEmail } from './names.ts';
import { endSessions, insertSession } from './sessions.service.ts';
import { lookAtTokensAgain } from './tokens.rows.ts';
import { decrypt, encrypt, isOfKnownVersion, type Secrets } from './tokens.ts';

/**
 * A person who signed in at the provider, with the account and the role that the installation's rules give to the
 * person's groups.
 */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  /** The email address, which the provider has verified. */
  readonly email: string;
  /** Name of the account. */
  readonly account: string;
  readonly role: Role;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
}

interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly role_from: 'account' | 'github' | 'oidc';
  readonly is_service: boolean;
  readonly is_removed: boolean;
  readonly oidc_subject: string | null;
}

/**
 * Begins a session of a person who signed in at the provider, and returns the secret of the session. The first sign-in
 * makes the person a user. Throws FORBIDDEN for a removed user, and CONFLICT if the email address belongs to another
 * user.
 */
export async function startOidcSession(ports: Ports, secrets: Secrets, person: OidcPerson): Promise<string> {
  const [account] = await ports.db.system.query<{ id: string }>('select id from account where name = $1', [
    person.account,
  ]);
  if (account === undefined)
    throw new DomainError('NOT_FOUND', `OIDC_ROLES names the account ${person.account}, which does not exist.`);
  const accountId = account.id;
  const ctx = systemContext(ports, accountId);
  return await ports.db.transaction(accountId, async (tx) => {
    // Every change of users locks the account's row, so that addresses and handles stay unique.
    await tx.query('select 1 from account where id = $1 for no key update', [accountId]);
    const known = await findPerson(tx, accountId, person);
    if (known !== null) refuseOthers(known, person);
    const userId = known?.id ?? (await addPerson(ctx, tx, person));
    await refreshPerson(ctx, tx, { secrets, userId, known, person });
    const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
      await tx.query<Row>(text, values);
    const idToken =
      person.idToken === null ? null : encrypt(secrets, idTokenOf(accountId), Buffer.from(person.idToken));
    return await insertSession(query, secrets, { accountId, userId, scopes, tokenId: null, idToken, now: ctx.clock() });
  });
}

async function findPerson(tx: Transaction, accountId: string, person: OidcPerson): Promise<KnownUser | null> {
  const users = `select u.id, u.email, u.role, u.role_from, u.is_service, u.removed_at is not null as is_removed,
      p.subject as oidc_subject
    from account_user u left join oidc_person p on p.account_id = u.account_id and p.user_id = u.id and p.issuer = $2
    where u.account_id = $1`;
  const [bySubject] = await tx.query<KnownUser>(`${users} and p.subject = $3`, [
    accountId,
    person.issuer,
    person.subject,
  ]);
  if (bySubject !== undefined) return bySubject;
  const [byEmail] = await tx.query<KnownUser>(`${users} and lower(u.email) = $3`, [
    accountId,
    person.issuer,
    person.email,
  ]);
  return byEmail ?? null;
}

function refuseOthers(known: KnownUser, { subject, email }: OidcPerson): void {
  if (known.is_removed)
    throw new DomainError('FORBIDDEN', `An admin removed ${known.email} from this account. Ask an admin to be added.`);
  if (known.is_service)
    throw new DomainError(
      'CONFLICT',
      `${email} is the address of the account's service user, and nobody can sign in as the service user. Give the person another address.`,
    );
  if (known.oidc_subject !== null && known.oidc_subject !== subject)
    throw new DomainError(
      'CONFLICT',
      `${email} belongs to another person of the OpenID provider. Ask an admin to remove the user ${known.email} first.`,
    );
}

async function addPerson(ctx: Context, tx: Transaction, { email, role }: OidcPerson): Promise<string> {
  const [added] = await tx.query<{ id: string }>(
    `insert into account_user (account_id, email, role, role_from, created_at) values ($1, $2, $3, 'oidc', $4) returning id`,
    [ctx.accountId, checkedEmail(email, 'email'), role, ctx.clock().toISOString()],
  );
  const userId = added?.id ?? '';
  await appendEvents(ctx, tx, [{ action: 'user_added', payload: { userId, role } }]);
  return userId;
}

async function refreshPerson(
  ctx: Context,
  tx: Transaction,
  {
    secrets,
    userId,
    known,
    person,
  }: {
    readonly secrets: Secrets;
    readonly userId: string;
    readonly known: KnownUser | null;
    readonly person: OidcPerson;
  },
): Promise<void> {
  const { accountId } = ctx;
  // If the user had signed in at another provider before, this provider replaces it.
  await tx.send(
    `insert into oidc_person (account_id, user_id, issuer, subject, confirmed_at, refresh_token)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (account_id, user_id) do update
       set issuer = $3, subject = $4, confirmed_at = $5, refresh_token = $6, asked_at = null`,
    [
      accountId,
      userId,
      person.issuer,
      person.subject,
      ctx.clock().toISOString(),
      sealRefreshToken(secrets, { accountId, userId }, person.refreshToken),
    ],
  );
  await tx.send(`update account_user set role = $3 where account_id = $1 and id = $2 and role_from = 'oidc'`, [
    accountId,
    userId,
    person.role,
  ]);
  if (known?.role_from === 'oidc') await lookAtTokensAgain(ctx, tx);
}

/** The account and the role of a user as the provider last confirmed them. */
export interface OidcMembership {
  readonly issuer: string;
  readonly subject: string;
  /** Name of the account. */
  readonly account: string;
  readonly role: Role;
  /** Null: the person lost all access at the provider. */
  readonly confirmedAt: Date | null;
  /** Whether a refresh token is stored, with which Interlock can query the provider. */
  readonly hasRefreshToken: boolean;
}

/** Null: the user's role does not come from the provider. */
export async function readOidcMembership(ctx: Context, userId: string): Promise<OidcMembership | null> {
  const [row] = await ctx.db.read<OidcMembership>(ctx.accountId, {
    name: 'oidc_membership',
    text: `select p.issuer, p.subject, a.name as account, u.role, p.confirmed_at as "confirmedAt",
             p.refresh_token is not null as "hasRefreshToken"
           from account_user u join account a on a.id = u.account_id
           join oidc_person p on p.account_id = u.account_id and p.user_id = u.id
           where u.account_id = $1 and u.id = $2 and u.role_from = 'oidc'`,
    values: [ctx.accountId, userId],
  });
  return row ?? null;
}

const askedEverySec = 60;

/** A refresh token with which a process queries the provider, with its encrypted form in the database. */
export interface ClaimedRefreshToken {
  readonly token: string;
  readonly sealed: Buffer;
}

/**
 * Returns the refresh token of a user to the one process that may query the provider now, because some providers accept
 * a refresh token only once. Null: another process queries the provider, or did so in the last minute, or the refresh
 * token cannot be decrypted.
 */
export async function claimRefreshToken(
  ctx: Context,
  secrets: Secrets,
  userId: string,
): Promise<ClaimedRefreshToken | null> {
  const { accountId } = ctx;
  const [row] = await ctx.db.transaction(
    accountId,
    async (tx) =>
      await tx.query<{ sealed: Buffer }>(
        `update oidc_person set asked_at = $3
         where account_id = $1 and user_id = $2 and refresh_token is not null
           and (asked_at is null or asked_at <= $3::timestamptz - make_interval(secs => $4))
         returning refresh_token as sealed`,
        [accountId, userId, ctx.clock().toISOString(), askedEverySec],
      ),
  );
  return row === undefined ? null : await openRefreshToken(ctx, secrets, { accountId, userId, ...row });
}

interface SealedRefreshToken {
  readonly accountId: string;
  readonly userId: string;
  readonly sealed: Buffer;
}

/** A refresh token that is no longer needed. */
export type UnusedRefreshToken = SealedRefreshToken & ClaimedRefreshToken;

/**
 * Null: the refresh token cannot be decrypted. Then it is deleted, unless another version of Interlock encrypted it,
 * whose processes can decrypt it.
 */
async function openRefreshToken(
  ports: Pick<Ports, 'db' | 'log'>,
  secrets: Secrets,
  row: SealedRefreshToken,
): Promise<UnusedRefreshToken | null> {
  try {
    return { ...row, token: decrypt(secrets, refreshTokenOf(row), row.sealed).toString() };
  } catch (error) {
    const { accountId, userId, sealed } = row;
    const isDeleted = isOfKnownVersion(sealed);
    ports.log.error(
      { err: error, accountId, userId },
      isDeleted
        ? 'Interlock cannot decrypt the refresh token of a user, and deletes it. It may still be valid at the OpenID provider: revoke it there.'
        : 'Interlock cannot decrypt the refresh token of a user, because another version of Interlock encrypted it.',
    );
    if (isDeleted) await forgetRefreshToken(ports, row);
    return null;
  }
}

const revokedAtOnce = 20;

/**
 * Returns the refresh tokens of people who have neither a session nor a token of Interlock any more. For a minute no
 * other process gets these refresh tokens, so that two processes do not revoke the same refresh token. A refresh token
 * that cannot be decrypted is left out.
 */
export async function claimUnusedRefreshTokens(
  ports: Pick<Ports, 'db' | 'clock' | 'log'>,
  secrets: Secrets,
  issuer: string,
): Promise<readonly UnusedRefreshToken[]> {
  const now = ports.clock();
  const { usedAfter, startedAfter } = earliestValidSession(now);
  const rows = await ports.db.system.query<SealedRefreshToken>(
    `with unused as (
       select p.account_id, p.user_id from oidc_person p
       where p.issuer = $1 and p.refresh_token is not null
         and (p.asked_at is null or p.asked_at <= $2::timestamptz - make_interval(secs => ${askedEverySec}))
         and not exists (select from user_session s where s.account_id = p.account_id and s.user_id = p.user_id
               and s.ended_at is null and s.used_at > $3 and s.started_at > $4)
         and not exists (select from api_token t where t.account_id = p.account_id and t.user_id = p.user_id
               and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2))
       order by p.asked_at nulls first, p.account_id, p.user_id limit ${revokedAtOnce} for no key update skip locked)
     update oidc_person p set asked_at = $2 from unused u where p.account_id = u.account_id and p.user_id = u.user_id
     returning p.account_id::text as "accountId", p.user_id::text as "userId", p.refresh_token as sealed`,
    [issuer, now.toISOString(), usedAfter.toISOString(), startedAfter.toISOString()],
  );
  const opened = await Promise.all(rows.map(async (row) => await openRefreshToken(ports, secrets, row)));
  return opened.filter((each) => each !== null);
}

/**
 * Deletes a refresh token. If a newer sign-in has stored another refresh token in the meantime, the new refresh token
 * stays.
 */
export async function forgetRefreshToken(
  { db }: Pick<Ports, 'db'>,
  { accountId, userId, sealed }: SealedRefreshToken,
): Promise<void> {
  await db.system.query(
    'update oidc_person set refresh_token = null where account_id = $1 and user_id = $2 and refresh_token = $3',
    [accountId, userId, sealed],
  );
}

/**
 * Writes the provider's answer about a person. `role` is null if the answer had no groups: then the role does not
 * change and is not confirmed. `refreshToken` is null if the used refresh token stays valid. Returns false, and writes
 * nothing, if `asked`, the used refresh token, is not the stored one any more, because the person has signed in since.
 */
export async function confirmOidcPerson(
  ctx: Context,
  secrets: Secrets,
  {
    userId,
    asked,
    role,
    refreshToken,
  }: {
    readonly userId: string;
    readonly asked: ClaimedRefreshToken;
    readonly role: Role | null;
    readonly refreshToken: string | null;
  },
): Promise<boolean> {
  const { accountId } = ctx;
  return await ctx.db.transaction(accountId, async (tx) => {
    const written = await tx.query(
      `update oidc_person set refresh_token = coalesce($3, refresh_token),
         confirmed_at = case when $4 then $5::timestamptz else confirmed_at end
       where account_id = $1 and user_id = $2 and refresh_token = $6 returning 1`,
      [
        accountId,
        userId,
        sealRefreshToken(secrets, { accountId, userId }, refreshToken),
        role !== null,
        ctx.clock().toISOString(),
        asked.sealed,
      ],
    );
    if (written.length === 0) return false;
    const changed = await tx.query(
      `update account_user set role = $3 where account_id = $1 and id = $2 and role_from = 'oidc' and role <> $3 returning 1`,
      [accountId, userId, role],
    );
    if (changed.length > 0) await lookAtTokensAgain(ctx, tx);
    return true;
  });
}

/**
 * Takes all access from a person who has no access at the provider any more. The sessions end, and the tokens have no
 * effect until the person signs in again. Returns false, and writes nothing, if the refresh token with which the
 * provider was asked is not the stored one any more, because the person has signed in since.
 */
export async function withdrawOidcPerson(
  ctx: Context,
  { userId, asked }: { readonly userId: string; readonly asked: ClaimedRefreshToken },
): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const written = await tx.query(
      `update oidc_person set confirmed_at = null, refresh_token = null
       where account_id = $1 and user_id = $2 and refresh_token = $3 returning 1`,
      [ctx.accountId, userId, asked.sealed],
    );
    if (written.length === 0) return false;
    await tx.send(`update account_user set role = 'member' where account_id = $1 and id = $2 and role_from = 'oidc'`, [
      ctx.accountId,
      userId,
    ]);
    await endSessions(ctx, tx, { userId });
    await lookAtTokensAgain(ctx, tx);
    return true;
  });
}

/**
 * The ID token of the sign-in that began a session. The token can also be read after the session has ended. Null: the
 * session did not begin at the provider, the provider sent no ID token, or the ID token cannot be decrypted.
 */
export async function readIdToken(
  { db, log }: Ports,
  secrets: Secrets,
  { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
): Promise<string | null> {
  const [row] = await db.system.query<{ sealed: Buffer | null }>(
    'select id_token as sealed from user_session where account_id = $1 and id = $2',
    [accountId, sessionId],
  );
  if (!row?.sealed) return null;
  try {
    return decrypt(secrets, idTokenOf(accountId), row.sealed).toString();
  } catch (error) {
    log.error(
      { err: error, accountId, sessionId },
      'Interlock cannot decrypt the ID token of a session. The person stays signed in at the OpenID provider.',
    );
    return null;
  }
}

interface UserKey {
  readonly accountId: string;
  readonly userId: string;
}

const idTokenOf = (accountId: string): string => `id-token/${accountId}`;
const refreshTokenOf = ({ accountId, userId }: UserKey): string => `oidc-refresh-token/${accountId}/${userId}`;

function sealRefreshToken(secrets: Secrets, user: UserKey, token: string | null): Buffer | null {
  return token === null ? null : encrypt(secrets, refreshTokenOf(user), Buffer.from(token));
}
