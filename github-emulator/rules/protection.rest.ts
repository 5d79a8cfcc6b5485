// Classic branch protection by REST.
import { accountOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { ApiError, notFound, unprocessable } from '../http/errors.ts';
import { findAccount, reachRepository } from '../http/reach.ts';
import { noContent, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import type { BranchProtection, Repository } from '../model/types.ts';
import { type Json, renderAccount, renderApp, renderTeam } from '../render/accounts.ts';
import { repositoryUrl } from '../render/repositories.ts';
import { protectionOf } from './decide.ts';
import type { NamedActors } from './model.ts';
import { checksOf, type ProtectionSettings, readProtection, settingsOf } from './settings.ts';

const one = '/repos/{owner}/{repo}/branches/{branch}/protection';
const read = { permission: 'administration', level: 'read', role: 'admin' } as const;
const write = { permission: 'administration', level: 'write', role: 'admin' } as const;

export const protectionRoutes: readonly RestRoute[] = [
  route('GET', one, (request) => {
    const repository = reachRepository(request, read);
    return ok(renderProtection(request.core, repository, mustProtect(request, repository)));
  }),
  route('PUT', one, async (request) => {
    const repository = reachRepository(request, write);
    const { core, actor } = request;
    const branch = request.params['branch'] ?? '';
    if ((await core.git.resolve(repository, `refs/heads/${branch}`)) === null)
      throw new ApiError(404, 'Branch not found');
    const settings = request.body as ProtectionSettings;
    mustNameKnown(request.core, settings);
    const protection = saveProtection(core, repository, { pattern: branch, settings });
    const { isNew, row } = protection;
    const sender = accountOf(actor);
    const action = isNew ? 'created' : 'edited';
    core.emit({ name: 'branch_protection_rule', action, repository, sender, protection: row });
    return ok(renderProtection(core, repository, row));
  }),
  route('DELETE', one, (request) => {
    const repository = reachRepository(request, write);
    const protection = mustProtect(request, repository);
    const { core } = request;
    core.state.protections.remove(protection.id);
    const sender = accountOf(request.actor);
    core.emit({ name: 'branch_protection_rule', action: 'deleted', repository, sender, protection });
    return noContent;
  }),
  route('GET', `${one}/required_status_checks`, (request) => {
    const repository = reachRepository(request, read);
    const protection = mustProtect(request, repository);
    const checks = settingsOf(protection).required_status_checks ?? null;
    if (checks === null) throw new ApiError(404, 'Required status checks not enabled');
    return ok(renderChecks(urlOf(request.core, repository, protection), checks));
  }),
  route('PATCH', `${one}/required_status_checks`, (request) => {
    const repository = reachRepository(request, write);
    const { core } = request;
    const protection = mustProtect(request, repository);
    const before = settingsOf(protection).required_status_checks ?? null;
    if (before === null) throw new ApiError(404, 'Required status checks not enabled');
    const checks = { ...before, ...request.body };
    if (request.body['contexts'] !== undefined && request.body['checks'] === undefined) delete checks.checks;
    Object.assign(protection, {
      settings: { ...protection.settings, required_status_checks: checks },
      updatedAt: core.now(),
    });
    const sender = accountOf(request.actor);
    core.emit({ name: 'branch_protection_rule', action: 'edited', repository, sender, protection });
    return ok(renderChecks(urlOf(core, repository, protection), checks));
  }),
];

function saveProtection(
  core: Core,
  repository: Repository,
  { pattern, settings }: { readonly pattern: string; readonly settings: ProtectionSettings },
): { readonly row: BranchProtection; readonly isNew: boolean } {
  const found = core.state.protections.find((each) => each.repositoryId === repository.id && each.pattern === pattern);
  const at = core.now();
  const kept = { ...settings } as Record<string, unknown>;
  if (found === undefined) {
    const row = core.state.protections.insert({
      repositoryId: repository.id,
      pattern,
      settings: kept,
      createdAt: at,
      updatedAt: at,
    });
    return { row, isNew: true };
  }
  Object.assign(found, { settings: kept, updatedAt: at });
  return { row: found, isNew: false };
}

function mustProtect(request: RestRequest, repository: Repository): BranchProtection {
  const rows = request.core.state.protections.filter((each) => each.repositoryId === repository.id);
  const found = protectionOf(rows.map(readProtection), request.params['branch'] ?? '');
  const row = rows.find(({ id }) => id === found?.id);
  if (row === undefined) throw new ApiError(404, 'Branch not protected');
  return row;
}

/** GitHub refuses people and Apps that do not exist. */
function mustNameKnown(core: Core, settings: ProtectionSettings): void {
  const lists = [settings.restrictions, settings.required_pull_request_reviews?.bypass_pull_request_allowances];
  for (const named of lists) {
    const user = named?.users?.find((login) => findAccount(core, login) === undefined);
    if (user !== undefined) throw unprocessable(`User ${user} could not be found.`);
    const app = named?.apps?.find((slug) => core.state.apps.find((each) => each.slug === slug) === undefined);
    if (app !== undefined) throw unprocessable(`App ${app} could not be found.`);
  }
}

function urlOf(core: Core, repository: Repository, protection: BranchProtection): string {
  return `${repositoryUrl(core, repository)}/branches/${encodeURIComponent(protection.pattern)}/protection`;
}

function renderChecks(url: string, settings: NonNullable<ProtectionSettings['required_status_checks']>): Json {
  const checks = checksOf(settings);
  return {
    url: `${url}/required_status_checks`,
    strict: settings.strict ?? false,
    contexts: checks.map(({ context }) => context),
    contexts_url: `${url}/required_status_checks/contexts`,
    checks: checks.map(({ context, appId }) => ({ context, app_id: appId })),
  };
}

function renderNamed(core: Core, named: Partial<NamedActors>): Json {
  const { state } = core;
  const known = <T>(row: T | undefined): T => row ?? raise();
  return {
    users: (named.users ?? []).map((login) => renderAccount(core, known(findAccount(core, login)))),
    teams: (named.teams ?? []).map((slug) => renderTeam(core, known(state.teams.find((each) => each.slug === slug)))),
    apps: (named.apps ?? []).map((slug) => renderApp(core, known(state.apps.find((each) => each.slug === slug)))),
  };
}

function raise(): never {
  throw notFound();
}

function renderProtection(core: Core, repository: Repository, protection: BranchProtection): Json {
  const settings = settingsOf(protection);
  const url = urlOf(core, repository, protection);
  const { required_status_checks: checks, required_pull_request_reviews: reviews, restrictions } = settings;
  const enabled = (value: boolean | null | undefined): Json => ({ enabled: value ?? false });
  return {
    url,
    ...(checks === null || checks === undefined ? {} : { required_status_checks: renderChecks(url, checks) }),
    ...(reviews === null || reviews === undefined
      ? {}
      : {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: reviews.dismiss_stale_reviews ?? false,
            require_code_owner_reviews: reviews.require_code_owner_reviews ?? false,
            require_last_push_approval: reviews.require_last_push_approval ?? false,
            required_approving_review_count: reviews.required_approving_review_count ?? 1,
            ...(reviews.bypass_pull_request_allowances === undefined
              ? {}
              : { bypass_pull_request_allowances: renderNamed(core, reviews.bypass_pull_request_allowances) }),
          },
        }),
    ...(restrictions === null || restrictions === undefined
      ? {}
      : { restrictions: { ...urlsOfRestrictions(url), ...renderNamed(core, restrictions) } }),
    required_signatures: { url: `${url}/required_signatures`, ...enabled(settings.required_signatures) },
    enforce_admins: { url: `${url}/enforce_admins`, ...enabled(settings.enforce_admins) },
    required_linear_history: enabled(settings.required_linear_history),
    allow_force_pushes: enabled(settings.allow_force_pushes),
    allow_deletions: enabled(settings.allow_deletions),
    block_creations: enabled(settings.block_creations),
    required_conversation_resolution: enabled(settings.required_conversation_resolution),
    lock_branch: enabled(settings.lock_branch),
    allow_fork_syncing: enabled(false),
  };
}

function urlsOfRestrictions(url: string): Json {
  const at = `${url}/restrictions`;
  return { url: at, users_url: `${at}/users`, teams_url: `${at}/teams`, apps_url: `${at}/apps` };
}
