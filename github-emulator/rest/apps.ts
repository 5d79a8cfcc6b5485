// Apps, their installations and tokens, and the installations that a person may see.
import {
  accountOf,
  type Actor,
  canSee,
  includesRepository,
  installationFor,
  reachesRepository,
  roleOf,
} from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { instant } from '../core.ts';
import { ApiError, forbidden, notFound, unprocessable } from '../http/errors.ts';
import { answerPage, withTotalCount } from '../http/paging.ts';
import { findAccount, findRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestAnswer, type RestRequest, type RestRoute, route } from '../http/route.ts';
import { makeToken } from '../model/ids.ts';
import type { App, Installation, Permissions, Repository } from '../model/types.ts';
import { isPermissionAtLeast } from '../model/enums.ts';
import { renderApp, renderInstallation } from '../render/accounts.ts';
import { renderRepository } from '../render/repositories.ts';

const tokenLifeMs = 3_600_000;
const one = '/app/installations/{installation_id}';

export const appRoutes: readonly RestRoute[] = [
  route('GET', '/app', (request) => ok(renderApp(request.core, mustBeApp(request.actor)))),
  route('GET', '/apps/{app_slug}', (request) => {
    const app = request.core.state.apps.find((each) => each.slug === request.params['app_slug']);
    if (app === undefined || (!app.isPublic && request.actor.kind === 'anonymous')) throw notFound();
    return ok(renderApp(request.core, app));
  }),
  route('GET', '/app/installations', async (request) => {
    const app = mustBeApp(request.actor);
    const installations = request.core.state.installations.filter((each) => each.appId === app.id);
    return await answerPage(request, installations, (each) => renderInstallation(request.core, each));
  }),
  route('GET', one, (request) => ok(renderInstallation(request.core, mustInstallation(request)))),
  route('DELETE', one, (request) => {
    deleteInstallation(request.core, mustInstallation(request));
    return noContent;
  }),
  route('PUT', `${one}/suspended`, (request) => {
    request.core.controls.suspend(mustInstallation(request).id, true);
    return noContent;
  }),
  route('DELETE', `${one}/suspended`, (request) => {
    request.core.controls.suspend(mustInstallation(request).id, false);
    return noContent;
  }),
  route('POST', `${one}/access_tokens`, makeAccessToken),
  route('GET', '/repos/{owner}/{repo}/installation', (request) => {
    const app = mustBeApp(request.actor);
    const { owner = '', repo = '' } = request.params;
    const repository = findRepository(request.core, owner, repo);
    const found = request.core.state.installations.find(
      (each) => each.appId === app.id && repository !== undefined && includesRepository(each, repository),
    );
    if (found === undefined) throw notFound();
    return ok(renderInstallation(request.core, found));
  }),
  route('GET', '/orgs/{org}/installation', (request) => showInstallationOf(request, request.params['org'] ?? '')),
  route('GET', '/users/{username}/installation', (request) =>
    showInstallationOf(request, request.params['username'] ?? ''),
  ),
  route('GET', '/installation/repositories', async (request) => {
    const { actor, core } = request;
    if (actor.kind !== 'installation')
      throw forbidden(
        'You must authenticate with an installation access token in order to list repositories for an installation.',
      );
    const repositories = core.state.repositories.filter((each) => reachesRepository(actor, each));
    return await answerPage(
      request,
      repositories,
      (each) => renderRepository(core, each, actor),
      withTotalCount('repositories'),
    );
  }),
  route('DELETE', '/installation/token', (request) => {
    if (request.actor.kind !== 'installation') throw forbidden('Resource not accessible by personal access token');
    request.core.state.tokens.remove(request.actor.token.id);
    return noContent;
  }),
  route('GET', '/user/installations', async (request) => {
    const { core, actor } = request;
    const installations = core.state.installations.filter((each) => isShownTo(core, actor, each));
    return await answerPage(
      request,
      installations,
      (each) => renderInstallation(core, each),
      withTotalCount('installations'),
    );
  }),
  route('GET', '/user/installations/{installation_id}/repositories', async (request) => {
    const { core, actor } = request;
    const installation = core.state.installations.get(Number(request.params['installation_id']));
    if (installation === undefined || !isShownTo(core, actor, installation)) throw notFound();
    const person = accountOf(actor);
    const repositories = core.state.repositories.filter(
      (each) => includesRepository(installation, each) && roleOf(core, person, each) !== null,
    );
    return await answerPage(
      request,
      repositories,
      (each) => renderRepository(core, each, actor),
      withTotalCount('repositories'),
    );
  }),
  route('PUT', '/user/installations/{installation_id}/repositories/{repository_id}', (request) => {
    selectRepository(request, true);
    return noContent;
  }),
  route('DELETE', '/user/installations/{installation_id}/repositories/{repository_id}', (request) => {
    selectRepository(request, false);
    return noContent;
  }),
];

export function mustBeApp(actor: Actor): App {
  if (actor.kind === 'app') return actor.app;
  if (actor.kind === 'anonymous') throw new ApiError(401, 'A JSON web token could not be decoded');
  throw new ApiError(401, 'A JSON web token could not be decoded');
}

export function deleteInstallation(core: Core, installation: Installation): void {
  core.state.installations.remove(installation.id);
  for (const token of core.state.tokens.filter((each) => each.installationId === installation.id))
    core.state.tokens.remove(token.id);
  const sender = core.state.accounts.must(installation.accountId);
  core.emit({ name: 'installation', action: 'deleted', installation, sender });
}

function mustInstallation({ core, actor, params }: RestRequest): Installation {
  const app = mustBeApp(actor);
  const installation = core.state.installations.get(Number(params['installation_id']));
  if (installation === undefined || installation.appId !== app.id) throw notFound();
  return installation;
}

function showInstallationOf({ core, actor }: RestRequest, login: string): RestAnswer {
  const app = mustBeApp(actor);
  const account = findAccount(core, login);
  const found = core.state.installations.find((each) => each.appId === app.id && each.accountId === account?.id);
  if (found === undefined) throw notFound();
  return ok(renderInstallation(core, found));
}

/**
 * Makes a token of an installation. The token may be limited to some repositories and permissions, and is valid for an
 * hour.
 */
function makeAccessToken(request: RestRequest): RestAnswer {
  const installation = mustInstallation(request);
  const { core, body } = request;
  if (installation.suspendedAt !== null) throw forbidden('This installation has been suspended');
  const repositories = chosenRepositories(core, installation, body);
  const permissions = narrowed(installation, body['permissions'] as Permissions | undefined);
  const token = core.state.tokens.insert({
    token: makeToken(core.random, 'installation', installation.appId),
    kind: 'installation',
    userId: null,
    appId: installation.appId,
    installationId: installation.id,
    permissions: body['permissions'] === undefined ? null : permissions,
    repositoryIds: repositories?.map(({ id }) => id) ?? null,
    scopes: [],
    expiresAt: instant(core.clock() + tokenLifeMs),
    createdAt: core.now(),
  });
  forgetOldTokens(core);
  return created({
    token: token.token,
    expires_at: token.expiresAt,
    permissions,
    repository_selection: repositories === null ? installation.repositorySelection : 'selected',
    ...(repositories === null
      ? {}
      : { repositories: repositories.map((each) => renderRepository(core, each, request.actor)) }),
  });
}

function chosenRepositories(
  core: Core,
  installation: Installation,
  body: Record<string, unknown>,
): Repository[] | null {
  const names = body['repositories'] as string[] | undefined;
  const ids = body['repository_ids'] as number[] | undefined;
  if (names === undefined && ids === undefined) return null;
  const reached = core.state.repositories.filter((each) => includesRepository(installation, each));
  const missing =
    'There is at least one repository that does not exist or is not accessible to the parent installation.';
  const find = (matches: (repository: Repository) => boolean): Repository => {
    const found = reached.find(matches);
    if (found === undefined) throw new ApiError(422, missing);
    return found;
  };
  return [
    ...(names ?? []).map((name) => find((each) => each.name.toLowerCase() === name.toLowerCase())),
    ...(ids ?? []).map((id) => find((each) => each.id === id)),
  ];
}

function narrowed(installation: Installation, asked: Permissions | undefined): Permissions {
  if (asked === undefined) return installation.permissions;
  for (const [name, level] of Object.entries(asked))
    if (name !== 'metadata' && !isPermissionAtLeast(installation.permissions[name], level))
      throw new ApiError(422, 'The permissions requested are not granted to this installation.');
  return { metadata: 'read', ...asked };
}

function forgetOldTokens(core: Core): void {
  const now = core.clock();
  for (const each of core.state.tokens.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) < now))
    core.state.tokens.remove(each.id);
}

/**
 * Whether a person sees an installation. The installation must be of the App that made the person's token. The person
 * must belong to the account, or see a private repository of the installation.
 */
function isShownTo(core: Core, actor: Actor, installation: Installation): boolean {
  if (actor.kind !== 'user' || actor.app === null)
    throw forbidden(
      'You must authenticate with an access token authorized to a GitHub App in order to list installations',
    );
  if (installation.appId !== actor.app.id) return false;
  const { id } = actor.account;
  const isMember = core.state.memberships.find(
    (each) => each.organizationId === installation.accountId && each.userId === id,
  );
  if (installation.accountId === id || isMember !== undefined) return true;
  return core.state.repositories
    .filter((each) => includesRepository(installation, each) && each.isPrivate)
    .some((each) => canSee(core, actor, each) && installationFor(core, installation.appId, each) !== undefined);
}

function selectRepository(request: RestRequest, isChosen: boolean): void {
  const { core, actor, params } = request;
  const installation = core.state.installations.get(Number(params['installation_id']));
  const repository = core.state.repositories.get(Number(params['repository_id']));
  if (installation === undefined || repository === undefined || repository.ownerId !== installation.accountId)
    throw notFound();
  const sender = accountOf(actor);
  if (roleOf(core, sender, repository) !== 'admin') throw forbidden('Must have admin rights to Repository.');
  if (installation.repositorySelection === 'all') throw unprocessable('The installation reaches all repositories.');
  changeSelection(core, installation, { repository, sender, isChosen });
}

/**
 * A token that is limited to a removed repository does not reach it again after it was added again. GitHub does not
 * document what happens then, so the emulator gives the answer that is harder for clients.
 */
function limitTokens(core: Core, installation: Installation, removedId: number): void {
  for (const token of core.state.tokens.filter(({ installationId }) => installationId === installation.id))
    token.repositoryIds = token.repositoryIds?.filter((id) => id !== removedId) ?? null;
}

export function changeSelection(
  core: Core,
  installation: Installation,
  { repository, sender, isChosen }: { repository: Repository; sender: ReturnType<typeof accountOf>; isChosen: boolean },
): void {
  const others = installation.repositoryIds.filter((id) => id !== repository.id);
  installation.repositoryIds = isChosen ? [...others, repository.id] : others;
  if (!isChosen) limitTokens(core, installation, repository.id);
  installation.updatedAt = core.now();
  const action = isChosen ? 'added' : 'removed';
  core.emit({ name: 'installation_repositories', action, installation, changed: [repository], sender });
}
