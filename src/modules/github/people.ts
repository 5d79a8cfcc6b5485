// Keeps the roles of people of GitHub up to date. While a person uses Interlock, the role is read from GitHub every
// five minutes. The sessions of a person who has lost all access end. While GitHub does not answer, the last role
// counts, so that a rollback does not wait for GitHub. Requests about a repository query GitHub anyway.
import type { Actor, Context, Ports, Role } from '../../context.ts';
import { isPermissionEnough, roleAtGitHub } from '../../domain/accounts/github-people.ts';
import { DomainError } from '../../domain/errors.ts';
import { createAppClient, isHidden } from '../../hosts/github/app-client.ts';
import { hostClient, HostUnavailable, type HostPermission } from '../../hosts/port.ts';
import { addGitHubPerson, findGitHubPerson, setPersonRole, type Secrets } from '../accounts/index.ts';
import { findApps, findInstallationOf, type AppRow } from './apps.rows.ts';

/** Returns the present role of the actor. Null: the person has lost all access. */
export type RoleOfPerson = (ctx: Context) => Promise<Role | null>;

const keptMs = 5 * 60_000;
const maxKept = 10_000;

type Person = NonNullable<Actor['personAtGitHub']>;

/** Returns a function that reads roles from GitHub and caches each role for five minutes. */
export function personRoles(ports: Ports, secrets: Secrets): RoleOfPerson {
  const kept = new Map<string, { readonly role: Promise<Role | null>; readonly until: number }>();
  return async (ctx) => {
    const { userId, role, personAtGitHub, sessionId, tokenId } = ctx.actor;
    if (personAtGitHub === null || userId === null) return role;
    const now = ports.clock().getTime();
    // The key contains the session, so that GitHub is queried again after a new sign-in.
    const key = JSON.stringify([userId, sessionId, tokenId, personAtGitHub.login]);
    const known = kept.get(key);
    if (known !== undefined && known.until > now) return await known.role;
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string);
    const asked = readRole(ports, secrets, { accountId: ctx.accountId, person: personAtGitHub }).catch(
      (error: unknown) => {
        if (!(error instanceof HostUnavailable)) throw error;
        ports.log.warn({ error: String(error) }, 'The permissions of a person could not be read from GitHub.');
        return role;
      },
    );
    kept.set(key, { role: asked, until: now + keptMs });
    asked.catch(() => kept.delete(key));
    const found = await asked;
    if (found !== role) await setPersonRole(ports, { accountId: ctx.accountId, userId, role: found });
    return found;
  };
}

/**
 * Returns a function that makes a person of GitHub a user of the account. Interlock calls it for a person who sets a
 * label or writes a command at GitHub, so that the effects name this user. The person's first sign-in finds the same
 * user.
 */
export function personAdmission(ports: () => Ports, secrets: Secrets): NonNullable<Ports['admitPerson']> {
  return async (accountId, { repositoryId, id, login }) => {
    const { db, log } = ports();
    const found = await findInstallationOf(db.system.query, secrets, { accountId, repositoryId });
    if (found === null) return null;
    const { apiUrl: server, webUrl } = found.app;
    const known = await findGitHubPerson(ports(), { accountId, person: { server, webUrl, id, login } });
    if (known !== null) return known.isRemoved ? null : known.email;
    try {
      const role = await readRole(ports(), secrets, { accountId, person: { id, login } });
      if (role === null) return null;
      return await addGitHubPerson(ports(), { accountId, person: { server, webUrl, id, login, role } });
    } catch (error) {
      // The label or command is carried out nevertheless. The next label or command of the person tries again to add
      // the user.
      if (!(error instanceof HostUnavailable) && !(error instanceof DomainError)) throw error;
      log.warn({ error: String(error), login }, 'A person of GitHub could not be made a user.');
      return null;
    }
  };
}

async function readRole(
  ports: Ports,
  secrets: Secrets,
  { accountId, person }: { readonly accountId: string; readonly person: Person },
): Promise<Role | null> {
  const { query } = ports.db.system;
  const apps = (await findApps(query, secrets)).filter((app) => app.accountId === accountId);
  const installations = await query<{ id: string; owner: string; github_app_id: string }>(
    `select id, owner, github_app_id from github_installation
     where account_id = $1 and removed_at is null and suspended_at is null`,
    [accountId],
  );
  const owns = await Promise.all(
    installations.map(async ({ id, owner, github_app_id }) => {
      const app = apps.find(({ rowId }) => rowId === github_app_id);
      return app !== undefined && (await isOwner(ports, app, { id, owner, person }));
    }),
  );
  if (owns.length > 0 && owns.every(Boolean)) return roleAtGitHub({ isOwner: true, permissions: [] });
  const repositories = await query<{ id: string; owner: string; name: string }>(
    `select id, owner, name from repository where account_id = $1 and host = 'github' and active and deleted_at is null`,
    [accountId],
  );
  const permissions: (HostPermission | null)[] = [];
  while (permissions.length < repositories.length && !isDecided(permissions)) {
    const next = repositories.slice(permissions.length, permissions.length + readAtOnce);
    const read = next.map(
      async (row) => await hostClient(ports, { ...row, accountId, host: 'github' }).readPermission(person),
    );
    permissions.push(...(await Promise.all(read)));
  }
  const isMember = owns.some(Boolean) || permissions.some((each) => each !== null);
  // Without an active repository there is no sign that the person has lost access.
  return isMember || repositories.length === 0 ? roleAtGitHub({ isOwner: false, permissions }) : null;
}

const readAtOnce = 20;

/**
 * Whether the repositories read so far decide the role: the person sees at least one of them, and does not maintain all
 * of them.
 */
function isDecided(permissions: readonly (HostPermission | null)[]): boolean {
  const isMaintainer = permissions.every((each) => isPermissionEnough(each, 'maintain'));
  return !isMaintainer && permissions.some((each) => each !== null);
}

/**
 * Whether the person owns an installation: the person is the account at GitHub that has it, or an owner of the
 * organisation that has it.
 */
async function isOwner(
  ports: Ports,
  app: AppRow,
  { id, owner, person }: { readonly id: string; readonly owner: string; readonly person: Person },
): Promise<boolean> {
  const request = createAppClient(ports, { ...app, installationId: id, purpose: 'answer' });
  try {
    if (owner.toLowerCase() === person.login.toLowerCase()) {
      // The person had this name at the sign-in. Another person may have the name now, so the ids are compared.
      const { data } = await request('GET /users/{username}', { username: owner });
      return String(data.id) === person.id;
    }
    const { data } = await request('GET /orgs/{org}/memberships/{username}', { org: owner, username: person.login });
    return data.state === 'active' && data.role === 'admin' && String(data.user?.id) === person.id;
  } catch (error) {
    // The person is no member, or the owner is no organisation.
    if (isHidden(error)) return false;
    throw error;
  }
}
