// The permissions of an actor in repositories.
import type { Core } from '../core.ts';
import { ApiError, forbidden, notFound } from '../http/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Account, Installation, Permissions, Repository } from '../model/types.ts';
import {
  higherRole,
  isPermissionAtLeast,
  isRoleAtLeast,
  type PermissionLevel,
  type RepositoryRole,
} from '../model/enums.ts';

export type { Actor };

/** The permission or role that an operation requires of its actor. */
export interface Need {
  /** The permission that an App needs. In a list, one of the permissions is enough. */
  readonly permission: string | readonly string[];
  readonly level: PermissionLevel;
  /** The role that a person needs. Default: the role with the name of `level`. */
  readonly role?: RepositoryRole;
}

export function roleOf(core: Core, user: Account, repository: Repository): RepositoryRole | null {
  const { state } = core;
  const owner = state.accounts.must(repository.ownerId);
  if (owner.id === user.id) return 'admin';
  const membership = state.memberships.find((each) => each.organizationId === owner.id && each.userId === user.id);
  if (membership?.role === 'admin') return 'admin';
  const own = repository.collaborators.find((each) => each.userId === user.id)?.role ?? null;
  const byTeams = repository.teams
    .filter(({ teamId }) => state.teams.get(teamId)?.memberIds.includes(user.id) ?? false)
    .reduce<RepositoryRole | null>((role, each) => higherRole(role, each.role), null);
  const base = membership !== undefined || !repository.isPrivate ? 'read' : null;
  return higherRole(base, higherRole(own, byTeams));
}

/** Returns the repository. Throws 404 if the actor may not know that it exists. */
export function mustSee(core: Core, actor: Actor, repository: Repository | undefined): Repository {
  if (repository === undefined || !canSee(core, actor, repository)) throw notFound();
  return repository;
}

export function canSee(core: Core, actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'anonymous' || actor.kind === 'app') return !repository.isPrivate;
  if (actor.kind === 'installation') return !repository.isPrivate || reachesRepository(actor, repository);
  return roleOf(core, actor.account, repository) !== null && isWithinApp(core, actor, repository);
}

/** Throws GitHub's refusal if the actor lacks the permission or role. */
export function mustHave(
  core: Core,
  actor: Actor,
  { repository, need }: { readonly repository: Repository; readonly need: Need },
): void {
  if (need.level !== 'read' && repository.isArchived) throw forbidden('Repository was archived so is read-only.');
  if (actor.kind === 'installation') {
    if (hasPermission(permissionsOf(actor, repository), need)) return;
    throw inaccessible(need);
  }
  if (actor.kind !== 'user') {
    if (need.level === 'read' && !repository.isPrivate) return;
    throw new ApiError(401, 'Requires authentication');
  }
  if (actor.app !== null && actor.token.kind === 'user-to-server') {
    const installation = installationFor(core, actor.app.id, repository);
    if (installation === undefined || !hasPermission(installation.permissions, need)) throw inaccessible(need);
  }
  const role = need.role ?? need.level;
  if (!isRoleAtLeast(roleOf(core, actor.account, repository), role))
    throw forbidden(role === 'admin' ? 'Must have admin rights to Repository.' : 'Must have push access to repository');
}

/** Makes the refusal of an App. The header of the refusal lists the permissions, of which one is enough. */
function inaccessible({ permission, level }: Need): ApiError {
  const names = typeof permission === 'string' ? [permission] : permission;
  const accepted = names.map((name) => `${name}=${level}`).join('; ');
  const headers = { 'x-accepted-github-permissions': accepted };
  return new ApiError(403, 'Resource not accessible by integration', { headers });
}

/**
 * Whether the actor has a role in the repository. For an App, the permission `contents` decides. For the roles
 * `maintain` and `admin`, the permission `administration` decides.
 */
export function hasRole(
  core: Core,
  actor: Actor,
  { repository, role }: { readonly repository: Repository; readonly role: RepositoryRole },
): boolean {
  if (actor.kind === 'user') return isRoleAtLeast(roleOf(core, actor.account, repository), role);
  if (actor.kind !== 'installation') return role === 'read' && !repository.isPrivate;
  if (!reachesRepository(actor, repository)) return role === 'read' && !repository.isPrivate;
  const permission = role === 'admin' || role === 'maintain' ? 'administration' : 'contents';
  return isPermissionAtLeast(permissionsOf(actor, repository)[permission], role === 'read' ? 'read' : 'write');
}

export function installationFor(core: Core, appId: number, repository: Repository): Installation | undefined {
  return core.state.installations.find(
    (each) => each.appId === appId && each.suspendedAt === null && includesRepository(each, repository),
  );
}

export function includesRepository(installation: Installation, repository: Repository): boolean {
  return (
    installation.accountId === repository.ownerId &&
    (installation.repositorySelection === 'all' || installation.repositoryIds.includes(repository.id))
  );
}

export function reachesRepository(actor: Actor & { kind: 'installation' }, repository: Repository): boolean {
  const { repositoryIds } = actor.token;
  return (
    includesRepository(actor.installation, repository) &&
    (repositoryIds === null || repositoryIds.includes(repository.id))
  );
}

/**
 * The account in whose name an action is shown: the person, or the bot of the App. Throws 401 for an anonymous actor
 * and for an App without an installation.
 */
export function accountOf(actor: Actor): Account {
  if (actor.kind === 'user' || actor.kind === 'installation') return actor.account;
  throw new ApiError(401, 'Requires authentication');
}

/** The permissions of a token, limited to the present permissions of its installation. */
function permissionsOf(actor: Actor & { kind: 'installation' }, repository: Repository): Permissions {
  if (!reachesRepository(actor, repository)) return repository.isPrivate ? {} : { metadata: 'read', contents: 'read' };
  const granted = actor.installation.permissions;
  const narrowed = actor.token.permissions ?? granted;
  const names = Object.keys(narrowed).filter((name) => isPermissionAtLeast(granted[name], 'read'));
  return Object.fromEntries(names.map((name) => [name, lower(granted[name] ?? 'read', narrowed[name] ?? 'read')]));
}

function lower(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return isPermissionAtLeast(a, b) ? b : a;
}

function hasPermission(permissions: Permissions, { permission, level }: Need): boolean {
  const names = typeof permission === 'string' ? [permission] : permission;
  return names.some((name) => isPermissionAtLeast(name === 'metadata' ? 'read' : permissions[name], level));
}

function isWithinApp(core: Core, actor: Actor & { kind: 'user' }, repository: Repository): boolean {
  if (actor.token.kind !== 'user-to-server' || actor.app === null || !repository.isPrivate) return true;
  return installationFor(core, actor.app.id, repository) !== undefined;
}
