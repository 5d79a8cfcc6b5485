// Repositories: get, create, edit, rename, fork, and the permissions of people in them.
import { accountOf, type Actor, canSee, reachesRepository, roleOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { renameRepository } from '../faults/effects.ts';
import { ApiError, forbidden, notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { findAccount, findRepository, reachRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestAnswer, type RestRequest, type RestRoute, route } from '../http/route.ts';
import { makeRepository } from '../model/seed.ts';
import type { Account, Repository } from '../model/types.ts';
import { isRoleAtLeast, type RepositoryRole } from '../model/enums.ts';
import { commitFirst } from '../git/first-commit.ts';
import { renderAccount, renderTeam } from '../render/accounts.ts';
import { renderFullRepository, renderRepository } from '../render/repositories.ts';

const repo = '/repos/{owner}/{repo}';
const admin = { permission: 'administration', level: 'write', role: 'admin' } as const;
const metadata = { permission: 'metadata', level: 'read' } as const;

export const repositoryRoutes: readonly RestRoute[] = [
  route('GET', repo, (request) => {
    const repository = reachRepository(request, metadata);
    return ok(renderFullRepository(request.core, repository, request.actor));
  }),
  route('PATCH', repo, change),
  route('DELETE', repo, (request) => {
    const repository = reachRepository(request, admin);
    deleteRepository(request.core, repository, accountOf(request.actor));
    return noContent;
  }),
  route('POST', '/user/repos', async (request) => await make(request, accountOf(request.actor)), {
    makesContent: true,
  }),
  route(
    'POST',
    '/orgs/{org}/repos',
    async (request) => {
      const owner = findAccount(request.core, request.params['org'] ?? '');
      if (owner === undefined || owner.type !== 'Organization') throw notFound();
      mayMake(request.core, request.actor, owner);
      return await make(request, owner);
    },
    { makesContent: true },
  ),
  route('GET', '/orgs/{org}/repos', async (request) => {
    const owner = findAccount(request.core, request.params['org'] ?? '');
    if (owner === undefined) throw notFound();
    return await listVisible(request, (each) => each.ownerId === owner.id);
  }),
  route('GET', '/user/repos', async (request) => {
    const { id } = accountOf(request.actor);
    return await listVisible(request, (each) => each.ownerId === id || isMemberOf(request.core, id, each));
  }),
  route('POST', `${repo}/forks`, fork, { makesContent: true }),
  route('GET', `${repo}/teams`, async (request) => {
    const repository = reachRepository(request, admin);
    return await answerPage(request, repository.teams, ({ teamId }) =>
      renderTeam(request.core, request.core.state.teams.must(teamId)),
    );
  }),
  route('GET', `${repo}/collaborators`, async (request) => {
    const repository = reachRepository(request, { permission: 'metadata', level: 'read', role: 'write' });
    const people = request.core.state.accounts.filter(
      (each) => each.type === 'User' && isPersonOf(request.core, each, repository),
    );
    return await answerPage(request, people, (each) => renderCollaborator(request.core, repository, each));
  }),
  route('GET', `${repo}/collaborators/{username}`, (request) => {
    const repository = reachRepository(request, { permission: 'metadata', level: 'read', role: 'write' });
    const person = findAccount(request.core, request.params['username'] ?? '');
    if (person === undefined || !isPersonOf(request.core, person, repository)) throw notFound();
    return noContent;
  }),
  route('PUT', `${repo}/collaborators/{username}`, addCollaborator),
  route('GET', `${repo}/collaborators/{username}/permission`, (request) => {
    const repository = reachRepository(request, metadata);
    const person = findAccount(request.core, request.params['username'] ?? '');
    if (person === undefined) throw notFound();
    const role = roleOf(request.core, person, repository);
    return ok({
      permission: coarse(role),
      role_name: role ?? 'none',
      user: renderCollaborator(request.core, repository, person),
    });
  }),
];

/**
 * The role in the field `permission`. This field is older than the roles `maintain` and `triage`, and shows them as
 * `write` and `read`.
 */
function coarse(role: RepositoryRole | null): string {
  const permissionNames = { read: 'read', triage: 'read', write: 'write', maintain: 'write', admin: 'admin' } as const;
  return role === null ? 'none' : permissionNames[role];
}

export function renderCollaborator(core: Core, repository: Repository, person: Account): Record<string, unknown> {
  const role = roleOf(core, person, repository);
  return {
    ...renderAccount(core, person),
    permissions: {
      pull: isRoleAtLeast(role, 'read'),
      triage: isRoleAtLeast(role, 'triage'),
      push: isRoleAtLeast(role, 'write'),
      maintain: isRoleAtLeast(role, 'maintain'),
      admin: isRoleAtLeast(role, 'admin'),
    },
    role_name: role ?? 'none',
  };
}

function isMemberOf(core: Core, userId: number, repository: Repository): boolean {
  return (
    core.state.memberships.find((each) => each.organizationId === repository.ownerId && each.userId === userId) !==
    undefined
  );
}

/** Whether a person is the owner, a collaborator, or a member of the organisation that owns the repository. */
function isPersonOf(core: Core, person: Account, repository: Repository): boolean {
  const isNamed = repository.collaborators.some(({ userId }) => userId === person.id);
  return isNamed || repository.ownerId === person.id || isMemberOf(core, person.id, repository);
}

async function listVisible(request: RestRequest, isWanted: (repository: Repository) => boolean): Promise<RestAnswer> {
  const { core, actor } = request;
  const found = core.state.repositories.filter((each) => isWanted(each) && canSee(core, actor, each));
  return await answerPage(request, found, (each) => renderRepository(core, each, actor));
}

function mayMake(core: Core, actor: Actor, owner: Account): void {
  if (actor.kind === 'installation') {
    if (actor.installation.accountId === owner.id && actor.installation.permissions['administration'] === 'write')
      return;
    throw new ApiError(403, 'Resource not accessible by integration');
  }
  const { id } = accountOf(actor);
  if (core.state.memberships.find((each) => each.organizationId === owner.id && each.userId === id) === undefined)
    throw forbidden('You need at least member access to the organization to create a repository.');
}

async function make(request: RestRequest, owner: Account): Promise<RestAnswer> {
  const { core, actor, body } = request;
  const name = String(body['name']);
  if (!/^[\w.-]{1,100}$/.test(name))
    throw unprocessable({ resource: 'Repository', code: 'custom', field: 'name', message: 'name is invalid' });
  if (findRepository(core, owner.login, name) !== undefined) throw nameTaken();
  const repository = makeRepository(core, {
    owner,
    name,
    description: typeof body['description'] === 'string' ? body['description'] : null,
    isPrivate: body['private'] === true || body['visibility'] === 'private',
    ...settingsOf(body),
  });
  await core.git.create(repository);
  const sender = accountOf(actor);
  core.emit({ name: 'repository', action: 'created', repository, sender });
  if (body['auto_init'] === true)
    await commitFirst(core, repository, { sender, files: { 'README.md': `# ${name}\n` } });
  return created(renderFullRepository(core, repository, actor));
}

const settingNames = {
  allow_merge_commit: 'allowMergeCommit',
  allow_squash_merge: 'allowSquashMerge',
  allow_rebase_merge: 'allowRebaseMerge',
  allow_auto_merge: 'allowAutoMerge',
  allow_update_branch: 'allowUpdateBranch',
  delete_branch_on_merge: 'deleteBranchOnMerge',
} as const;

function settingsOf(body: Record<string, unknown>): Partial<Repository> {
  const given = Object.entries(settingNames).filter(([name]) => typeof body[name] === 'boolean');
  return Object.fromEntries(given.map(([name, field]) => [field, body[name]]));
}

async function change(request: RestRequest): Promise<RestAnswer> {
  const repository = reachArchived(request);
  const { core, actor, body } = request;
  const sender = accountOf(actor);
  const owner = core.state.accounts.must(repository.ownerId);
  if (repository.isArchived && body['archived'] !== false) throw forbidden('Repository was archived so is read-only.');
  if (typeof body['archived'] === 'boolean' && body['archived'] !== repository.isArchived) {
    repository.isArchived = body['archived'];
    core.emit({ name: 'repository', action: repository.isArchived ? 'archived' : 'unarchived', repository, sender });
  }
  const branch = body['default_branch'];
  if (typeof branch === 'string' && branch !== repository.defaultBranch) {
    if ((await core.git.resolve(repository, `refs/heads/${branch}`)) === null)
      throw unprocessable(
        `The branch ${branch} was not found. Please push that ref first or create it via the Git Data API.`,
      );
    const from = repository.defaultBranch;
    repository.defaultBranch = branch;
    await core.git.run(repository, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    const changes = { default_branch: { from } };
    core.emit({ name: 'repository', action: 'edited', repository, sender, changes });
  }
  if (typeof body['private'] === 'boolean') repository.isPrivate = body['private'];
  if (typeof body['description'] === 'string') repository.description = body['description'];
  Object.assign(repository, settingsOf(body), { updatedAt: core.now() });
  const name = body['name'];
  if (typeof name === 'string' && name !== repository.name) {
    if (findRepository(core, owner.login, name) !== undefined) throw nameTaken();
    core.emit(renameRepository(core, { repository, owner, sender, newName: name }));
  }
  return ok(renderFullRepository(core, repository, actor));
}

/** Finds the repository for an edit, even if it is archived, so that a request can unarchive it. */
function reachArchived(request: RestRequest): Repository {
  const repository = reachRepository(request, { permission: 'metadata', level: 'read', role: 'admin' });
  if (request.actor.kind !== 'installation') return repository;
  if (
    reachesRepository(request.actor, repository) &&
    request.actor.installation.permissions['administration'] === 'write'
  )
    return repository;
  throw new ApiError(403, 'Resource not accessible by integration');
}

function deleteRepository(core: Core, repository: Repository, sender: Account): void {
  core.emit({ name: 'repository', action: 'deleted', repository, sender });
  for (const pull of core.state.pullRequests.filter((each) => each.head.repositoryId === repository.id))
    pull.head.repositoryId = null;
  for (const pull of core.state.pullRequests.filter((each) => each.repositoryId === repository.id))
    core.state.pullRequests.remove(pull.id);
  for (const installation of core.state.installations.all())
    installation.repositoryIds = installation.repositoryIds.filter((id) => id !== repository.id);
  core.state.repositories.remove(repository.id);
}

async function fork(request: RestRequest): Promise<RestAnswer> {
  const parent = reachRepository(request, { permission: 'contents', level: 'read' });
  const { core, actor, body } = request;
  const organization = body['organization'];
  const owner =
    typeof organization === 'string' ? findAccount(core, organization) : core.state.accounts.get(accountOf(actor).id);
  if (owner === undefined) throw notFound();
  const name = typeof body['name'] === 'string' ? body['name'] : parent.name;
  const existing = findRepository(core, owner.login, name);
  if (existing?.id === parent.id) throw forbidden('Cannot fork your own repository.');
  if (existing !== undefined) return { status: 202, body: renderFullRepository(core, existing, actor) };
  const { isPrivate, defaultBranch } = parent;
  const repository = makeRepository(core, {
    owner,
    name,
    isPrivate,
    defaultBranch,
    parentId: parent.parentId ?? parent.id,
  });
  await core.git.fork(repository, parent);
  core.emit({ name: 'repository', action: 'created', repository, sender: accountOf(actor) });
  return { status: 202, body: renderFullRepository(core, repository, actor) };
}

const roleOfPermission = {
  pull: 'read',
  triage: 'triage',
  push: 'write',
  maintain: 'maintain',
  admin: 'admin',
} as const;

/**
 * Adds a collaborator at once, like Enterprise Server. GitHub.com would send an invitation to a person outside of the
 * organisation.
 */
function addCollaborator(request: RestRequest): RestAnswer {
  const repository = reachRepository(request, admin);
  const person = findAccount(request.core, request.params['username'] ?? '');
  if (person === undefined) throw notFound();
  const permission = (request.body['permission'] ?? 'push') as keyof typeof roleOfPermission;
  const others = repository.collaborators.filter(({ userId }) => userId !== person.id);
  repository.collaborators = [...others, { userId: person.id, role: roleOfPermission[permission] ?? 'write' }];
  return noContent;
}

function nameTaken(): ApiError {
  return new ApiError(422, 'Repository creation failed.', {
    errors: [{ resource: 'Repository', code: 'custom', field: 'name', message: 'name already exists on this account' }],
  });
}
