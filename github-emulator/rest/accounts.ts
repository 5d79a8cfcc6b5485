// People, organisations, their members and teams.
import { accountOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { forbidden, notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { findAccount, findRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { Account, Membership, Team } from '../model/types.ts';
import {
  renderAccount,
  renderFullOrganization,
  renderFullTeam,
  renderOrganization,
  renderOwnProfile,
  renderProfile,
  renderTeam,
} from '../render/accounts.ts';

const team = '/orgs/{org}/teams/{team_slug}';

export const accountRoutes: readonly RestRoute[] = [
  route('GET', '/user', (request) => {
    if (request.actor.kind === 'installation') throw forbidden('Resource not accessible by integration');
    return ok(renderOwnProfile(request.core, accountOf(request.actor)));
  }),
  route('GET', '/users/{username}', (request) => {
    const account = findAccount(request.core, request.params['username'] ?? '');
    if (account === undefined) throw notFound();
    return ok(renderProfile(request.core, account));
  }),
  route('GET', '/user/orgs', async (request) => {
    const { core } = request;
    const { id } = accountOf(request.actor);
    const memberships = core.state.memberships.filter((each) => each.userId === id);
    return await answerPage(request, memberships, (each) =>
      renderOrganization(core, core.state.accounts.must(each.organizationId)),
    );
  }),
  route('GET', '/user/memberships/orgs/{org}', (request) => {
    const organization = reachOrganization(request);
    return ok(showMembership(request.core, organization, accountOf(request.actor)));
  }),
  route('GET', '/orgs/{org}', (request) => ok(renderFullOrganization(request.core, reachOrganization(request)))),
  route('GET', '/orgs/{org}/members', async (request) => {
    const organization = reachOrganization(request);
    const { core, query } = request;
    const members = membersOf(core, organization, (query['role'] ?? 'all') as Membership['role'] | 'all');
    return await answerPage(request, members, (each) => renderAccount(core, each));
  }),
  route('GET', '/orgs/{org}/members/{username}', (request) => {
    const organization = reachOrganization(request);
    const person = findAccount(request.core, request.params['username'] ?? '');
    if (person === undefined || findMembership(request.core, organization, person) === undefined) throw notFound();
    return noContent;
  }),
  route('GET', '/orgs/{org}/memberships/{username}', (request) => {
    const organization = reachOrganization(request);
    return ok(showMembership(request.core, organization, mustPerson(request)));
  }),
  route('PUT', '/orgs/{org}/memberships/{username}', (request) => {
    const organization = mustOwn(request);
    const { core, body } = request;
    const person = mustPerson(request);
    const role = body['role'] === 'admin' ? 'admin' : 'member';
    const known = findMembership(core, organization, person);
    if (known === undefined)
      core.state.memberships.insert({ organizationId: organization.id, userId: person.id, role });
    else known.role = role;
    return ok(showMembership(core, organization, person));
  }),
  route('GET', '/orgs/{org}/teams', async (request) => {
    const organization = reachOrganization(request);
    const teams = request.core.state.teams.filter((each) => each.organizationId === organization.id);
    return await answerPage(request, teams, (each) => renderTeam(request.core, each));
  }),
  route('POST', '/orgs/{org}/teams', (request) => {
    const organization = mustOwn(request);
    const { core, body, actor } = request;
    const name = String(body['name']);
    const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    if (findTeam(core, organization, slug) !== undefined)
      throw unprocessable({ resource: 'Team', code: 'already_exists', field: 'name' });
    const memberIds = actor.kind === 'user' ? [actor.account.id] : [];
    const at = core.now();
    const made = { organizationId: organization.id, name, slug, memberIds, createdAt: at, updatedAt: at };
    return created(renderFullTeam(core, core.state.teams.insert(made)));
  }),
  route('GET', team, (request) => ok(renderFullTeam(request.core, mustTeam(request, reachOrganization(request))))),
  route('GET', `${team}/members`, async (request) => {
    const { memberIds } = mustTeam(request, reachOrganization(request));
    return await answerPage(request, memberIds, (id) =>
      renderAccount(request.core, request.core.state.accounts.must(id)),
    );
  }),
  route('PUT', `${team}/memberships/{username}`, (request) => {
    const organization = mustOwn(request);
    const found = mustTeam(request, organization);
    const person = mustPerson(request);
    if (!found.memberIds.includes(person.id)) found.memberIds.push(person.id);
    return ok({
      url: `${request.core.urls.api}/organizations/${organization.id}/team/${found.id}/memberships/${person.login}`,
      role: 'member',
      state: 'active',
    });
  }),
  route('PUT', `${team}/repos/{owner}/{repo}`, (request) => {
    const found = mustTeam(request, mustOwn(request));
    const { core, params, body } = request;
    const repository = findRepository(core, params['owner'] ?? '', params['repo'] ?? '');
    if (repository === undefined) throw notFound();
    const roleNames = { pull: 'read', triage: 'triage', push: 'write', maintain: 'maintain', admin: 'admin' } as const;
    const role = roleNames[(body['permission'] ?? 'push') as keyof typeof roleNames] ?? 'write';
    const others = repository.teams.filter(({ teamId }) => teamId !== found.id);
    repository.teams = [...others, { teamId: found.id, role }];
    return noContent;
  }),
];

function reachOrganization({ core, params, actor }: RestRequest): Account {
  const account = findAccount(core, params['org'] ?? '');
  if (account === undefined || account.type !== 'Organization') throw notFound();
  if (actor.kind === 'installation' && actor.installation.permissions['members'] === undefined)
    throw forbidden('Resource not accessible by integration');
  return account;
}

function mustOwn(request: RestRequest): Account {
  const organization = reachOrganization(request);
  const { actor, core } = request;
  if (actor.kind === 'installation') {
    if (actor.installation.permissions['members'] === 'write') return organization;
    throw forbidden('Resource not accessible by integration');
  }
  if (findMembership(core, organization, accountOf(actor))?.role !== 'admin')
    throw forbidden('You must be an admin of the organization.');
  return organization;
}

function findMembership({ state }: Core, organization: Account, person: Account): Membership | undefined {
  return state.memberships.find((each) => each.organizationId === organization.id && each.userId === person.id);
}

function membersOf(core: Core, organization: Account, role: Membership['role'] | 'all'): Account[] {
  return core.state.memberships
    .filter((each) => each.organizationId === organization.id && (role === 'all' || each.role === role))
    .map((each) => core.state.accounts.must(each.userId));
}

function showMembership(core: Core, organization: Account, person: Account): object {
  const membership = findMembership(core, organization, person);
  if (membership === undefined) throw notFound();
  const url = `${core.urls.api}/orgs/${organization.login}`;
  return {
    url: `${url}/memberships/${person.login}`,
    state: 'active',
    role: membership.role,
    organization_url: url,
    organization: renderOrganization(core, organization),
    user: renderAccount(core, person),
  };
}

function mustPerson({ core, params }: RestRequest): Account {
  const account = findAccount(core, params['username'] ?? '');
  if (account === undefined || account.type !== 'User') throw notFound();
  return account;
}

function findTeam(core: Core, organization: Account, slug: string): Team | undefined {
  return core.state.teams.find((each) => each.organizationId === organization.id && each.slug === slug);
}

function mustTeam({ core, params }: RestRequest, organization: Account): Team {
  const found = findTeam(core, organization, params['team_slug'] ?? '');
  if (found === undefined) throw notFound();
  return found;
}
