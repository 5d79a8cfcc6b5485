// Makes people of GitHub users of an account. GitHub's id identifies a person, and each sign-in updates the person's
// handle. The role follows GitHub until an admin of the account sets a role.
import { scopes, systemContext, type Ports, type Role } from '../../context.ts';
import { noreplyAddress, noreplyAddresses } from '../../domain/accounts/github-people.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { appendEvents } from '../events/index.ts';
import { checkedEmail, checkedHandle } from './names.ts';
import { endSessions, insertSession } from './sessions.service.ts';
import { lookAtTokensAgain } from './tokens.rows.ts';
import type { Secrets } from './tokens.ts';

interface GitHubIdentity {
  /** The address of the server's API. Two servers may give the same id to different people. */
  readonly server: string;
  readonly webUrl: string;
  readonly id: string;
  readonly login: string;
}

export interface GitHubPerson extends GitHubIdentity {
  readonly role: Role;
}

interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly handle: string | null;
  readonly role: Role;
  readonly role_from: 'account' | 'github' | 'oidc';
  readonly is_removed: boolean;
}

/**
 * Begins a session of a person who signed in at GitHub, and returns the secret of the session. The first sign-in makes
 * the person a user. If an admin has added a user with the person's handle, or with the noreply address that GitHub
 * gives the person, the person becomes this user. Throws FORBIDDEN for a removed user.
 */
export async function startPersonSession(
  ports: Ports,
  secrets: Secrets,
  { accountId, person }: { readonly accountId: string; readonly person: GitHubPerson },
): Promise<string> {
  const ctx = systemContext(ports, accountId);
  const now = ports.clock();
  return await ports.db.transaction(accountId, async (tx) => {
    const { user, isNew } = await findOrAddPerson(ctx, tx, person);
    if (user.is_removed)
      throw new DomainError(
        'FORBIDDEN',
        `An admin removed ${person.login} from this account. Ask an admin to be added.`,
      );
    const userId = user.id;
    if (!isNew) await refreshPerson(ctx, tx, { person, known: user });
    const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
      await tx.query<Row>(text, values);
    return await insertSession(query, secrets, { accountId, userId, scopes, tokenId: null, now });
  });
}

/**
 * Makes a person a user without a sign-in. If an admin has added a user with the person's handle, the person becomes
 * this user. Returns the user's email address. Null: an admin removed the person.
 */
export async function addGitHubPerson(
  ports: Ports,
  { accountId, person }: { readonly accountId: string; readonly person: GitHubPerson },
): Promise<string | null> {
  const ctx = systemContext(ports, accountId);
  const { user } = await ports.db.transaction(accountId, async (tx) => await findOrAddPerson(ctx, tx, person));
  return user.is_removed ? null : user.email;
}

/**
 * Finds the user that a person of GitHub is, or becomes at the first sign-in because an admin added the person's
 * handle. Finds a removed person too. Null: there is no such user.
 */
export async function findGitHubPerson(
  ports: Ports,
  { accountId, person }: { readonly accountId: string; readonly person: GitHubIdentity },
): Promise<{ readonly email: string; readonly isRemoved: boolean } | null> {
  const known = await ports.db.transaction(accountId, async (tx) => await findPerson(tx, accountId, person));
  return known === null ? null : { email: known.email, isRemoved: known.is_removed };
}

/**
 * Writes the role that a person has at GitHub now. `role` is null if the person lost all access: the sessions end, and
 * callers refuse the person's tokens.
 */
export async function setPersonRole(
  ports: Ports,
  { accountId, userId, role }: { readonly accountId: string; readonly userId: string; readonly role: Role | null },
): Promise<void> {
  const ctx = systemContext(ports, accountId);
  await ports.db.transaction(accountId, async (tx) => {
    if (role === null) await endSessions(ctx, tx, { userId });
    const [changed] = await tx.query(
      `update account_user set role = $3 where account_id = $1 and id = $2 and role_from = 'github' and role <> $3 returning 1`,
      [accountId, userId, role ?? 'member'],
    );
    if (changed !== undefined) await lookAtTokensAgain(ctx, tx);
  });
}

async function findOrAddPerson(
  ctx: ReturnType<typeof systemContext>,
  tx: Transaction,
  person: GitHubPerson,
): Promise<{ readonly user: KnownUser; readonly isNew: boolean }> {
  const { accountId } = ctx;
  // Every change of users locks the account's row, so that addresses and handles stay unique.
  await tx.query('select 1 from account where id = $1 for no key update', [accountId]);
  const known = await findPerson(tx, accountId, person);
  return known === null ? { user: await addPerson(ctx, tx, person), isNew: true } : { user: known, isNew: false };
}

async function findPerson(tx: Transaction, accountId: string, person: GitHubIdentity): Promise<KnownUser | null> {
  const columns = 'id, email, handle, role, role_from, removed_at is not null as is_removed';
  const [byId] = await tx.query<KnownUser>(
    `select ${columns} from account_user where account_id = $1 and github_server = $2 and github_user_id = $3`,
    [accountId, person.server, person.id],
  );
  if (byId !== undefined) return byId;
  const [byHandle] = await tx.query<KnownUser>(
    `select ${columns} from account_user
     where account_id = $1 and lower(handle) = lower($2) and github_user_id is null and removed_at is null and not is_service`,
    [accountId, person.login],
  );
  if (byHandle !== undefined) return byHandle;
  // The address contains GitHub's id, so it belongs to this person, whatever the person's name was. A removed user counts
  // too, and is refused.
  const [byAddress] = await tx.query<KnownUser>(
    `select ${columns} from account_user
     where account_id = $1 and lower(email) like $2 and github_user_id is null and not is_service
     order by removed_at nulls first, id limit 1`,
    [accountId, noreplyAddresses(person)],
  );
  return byAddress ?? null;
}

async function addPerson(
  ctx: ReturnType<typeof systemContext>,
  tx: Transaction,
  person: GitHubPerson,
): Promise<KnownUser> {
  const { accountId } = ctx;
  const email = checkedEmail(noreplyAddress(person), 'email');
  const handle = await freeHandle(tx, { accountId, person, userId: null });
  const [added] = await tx.query<{ id: string }>(
    `insert into account_user (account_id, email, handle, role, role_from, github_server, github_user_id, created_at)
     values ($1, $2, $3, $4, 'github', $5, $6, $7) returning id`,
    [accountId, email, handle, person.role, person.server, person.id, ctx.clock().toISOString()],
  );
  const userId = added?.id ?? '';
  await appendEvents(ctx, tx, [{ action: 'user_added', payload: { userId, role: person.role } }]);
  return { id: userId, email, handle, role: person.role, role_from: 'github', is_removed: false };
}

async function refreshPerson(
  ctx: ReturnType<typeof systemContext>,
  tx: Transaction,
  { person, known }: { readonly person: GitHubPerson; readonly known: KnownUser },
): Promise<void> {
  const { accountId } = ctx;
  const role = known.role_from === 'github' ? person.role : known.role;
  const handle = await freeHandle(tx, { accountId, person, userId: known.id });
  await tx.send(
    `update account_user set github_server = $3, github_user_id = $4, handle = $5, role = $6
     where account_id = $1 and id = $2`,
    [accountId, known.id, person.server, person.id, handle, role],
  );
  if (role !== known.role || handle !== known.handle) await lookAtTokensAgain(ctx, tx);
}

/**
 * Returns the person's handle. If another person of the same GitHub server has the handle, that person was renamed at
 * GitHub and loses the handle. Throws CONFLICT if any other user has the handle.
 */
async function freeHandle(
  tx: Transaction,
  {
    accountId,
    person,
    userId,
  }: { readonly accountId: string; readonly person: GitHubPerson; readonly userId: string | null },
): Promise<string> {
  const handle = checkedHandle(person.login, 'handle') ?? person.login;
  await tx.send(
    `update account_user set handle = null
     where account_id = $1 and lower(handle) = lower($2) and github_server = $3 and github_user_id <> $4`,
    [accountId, handle, person.server, person.id],
  );
  const [taken] = await tx.query<{ email: string }>(
    'select email from account_user where account_id = $1 and lower(handle) = lower($2) and id is distinct from $3::bigint',
    [accountId, handle, userId],
  );
  if (taken !== undefined)
    throw new DomainError(
      'CONFLICT',
      `The handle ${handle} belongs to ${taken.email} in this account. Ask an admin to take the handle from that user.`,
    );
  return handle;
}
