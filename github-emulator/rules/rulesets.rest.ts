// Rulesets by REST, and the rules that apply to a branch.
import { accountOf, type Actor, hasRole } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { notFound, unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { fullNameOf, reachRepository } from '../http/reach.ts';
import { created, noContent, ok, type RestRequest, type RestRoute, route } from '../http/route.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Repository, Ruleset } from '../model/types.ts';
import type { Json } from '../render/accounts.ts';
import { repositoryUrl } from '../render/repositories.ts';
import { bypassOf, rulesetsOf } from './decide.ts';
import { readActor } from './facts.ts';
import { ruleTypes } from './model.ts';
import { readRuleset, rulesOfRepository } from './settings.ts';

const all = '/repos/{owner}/{repo}/rulesets';
const one = `${all}/{ruleset_id}`;
const read = { permission: 'metadata', level: 'read' } as const;
const write = { permission: 'administration', level: 'write', role: 'admin' } as const;

export const rulesetRoutes: readonly RestRoute[] = [
  route('GET', '/repos/{owner}/{repo}/rules/branches/{branch}', async (request) => {
    const repository = reachRepository(request, read);
    const { core } = request;
    const ref = `refs/heads/${request.params['branch'] ?? ''}`;
    const rules = rulesetsOf(rulesOfRepository(core, repository), ref).flatMap((ruleset) =>
      ruleset.rules.map((rule) => ({
        ...rule,
        ruleset_source_type: 'Repository',
        ruleset_source: fullNameOf(core, repository),
        ruleset_id: ruleset.id,
      })),
    );
    return await answerPage(request, rules, (rule) => rule);
  }),
  route('GET', all, async (request) => {
    const repository = reachRepository(request, read);
    const rows = request.core.state.rulesets.filter((each) => each.repositoryId === repository.id);
    return await answerPage(request, rows, (row) => renderBriefly(request.core, repository, row));
  }),
  route('POST', all, (request) => {
    const repository = reachRepository(request, write);
    const { core } = request;
    const at = core.now();
    const fields = readFields(request, null);
    if (core.state.rulesets.find((each) => each.repositoryId === repository.id && each.name === fields.name))
      throw unprocessable('Name must be unique');
    const ruleset = core.state.rulesets.insert({
      repositoryId: repository.id,
      ...fields,
      createdAt: at,
      updatedAt: at,
    });
    emitRuleset(request, repository, { ruleset, action: 'created' });
    return created(renderRuleset(core, repository, { ruleset, actor: request.actor }));
  }),
  route('GET', one, (request) => {
    const repository = reachRepository(request, read);
    return ok(
      renderRuleset(request.core, repository, { ruleset: mustRuleset(request, repository), actor: request.actor }),
    );
  }),
  route('PUT', one, (request) => {
    const repository = reachRepository(request, write);
    const ruleset = mustRuleset(request, repository);
    Object.assign(ruleset, readFields(request, ruleset), { updatedAt: request.core.now() });
    emitRuleset(request, repository, { ruleset, action: 'edited' });
    return ok(renderRuleset(request.core, repository, { ruleset, actor: request.actor }));
  }),
  route('DELETE', one, (request) => {
    const repository = reachRepository(request, write);
    const ruleset = mustRuleset(request, repository);
    request.core.state.rulesets.remove(ruleset.id);
    emitRuleset(request, repository, { ruleset, action: 'deleted' });
    return noContent;
  }),
];

type RulesetFields = Omit<Ruleset, 'id' | 'repositoryId' | 'createdAt' | 'updatedAt'>;

function readFields({ body }: RestRequest, before: Ruleset | null): RulesetFields {
  const given = body as {
    name?: string;
    target?: Ruleset['target'];
    enforcement?: Ruleset['enforcement'];
    conditions?: Record<string, unknown>;
    rules?: Record<string, unknown>[];
    bypass_actors?: Record<string, unknown>[];
  };
  const known = new Set<string>(ruleTypes);
  const foreign = given.rules?.find(({ type }) => !known.has(String(type)));
  if (foreign !== undefined)
    throw unprocessable(`The emulator does not judge rules of type ${String(foreign['type'])}.`);
  return {
    name: given.name ?? before?.name ?? '',
    target: given.target ?? before?.target ?? 'branch',
    enforcement: given.enforcement ?? before?.enforcement ?? 'active',
    conditions: given.conditions ?? before?.conditions ?? {},
    rules: given.rules ?? before?.rules ?? [],
    bypassActors: given.bypass_actors ?? before?.bypassActors ?? [],
  };
}

function mustRuleset(request: RestRequest, repository: Repository): Ruleset {
  const found = request.core.state.rulesets.get(Number(request.params['ruleset_id']));
  if (found === undefined || found.repositoryId !== repository.id) throw notFound();
  return found;
}

function emitRuleset(
  request: RestRequest,
  repository: Repository,
  { ruleset, action }: { readonly ruleset: Ruleset; readonly action: 'created' | 'edited' | 'deleted' },
): void {
  const sender = accountOf(request.actor);
  request.core.emit({ name: 'repository_ruleset', action, repository, sender, ruleset });
}

function renderBriefly(core: Core, repository: Repository, ruleset: Ruleset): Json {
  return {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: 'Repository',
    source: fullNameOf(core, repository),
    enforcement: ruleset.enforcement,
    node_id: nodeIdOf('rulesets', ruleset.id),
    _links: {
      self: { href: `${repositoryUrl(core, repository)}/rulesets/${ruleset.id}` },
      html: { href: `${core.urls.web}/${fullNameOf(core, repository)}/rules/${ruleset.id}` },
    },
    created_at: ruleset.createdAt,
    updated_at: ruleset.updatedAt,
  };
}

/** Renders a ruleset. Bypass actors are shown only to actors who may change the ruleset. */
function renderRuleset(
  core: Core,
  repository: Repository,
  { ruleset, actor }: { readonly ruleset: Ruleset; readonly actor: Actor },
): Json {
  const isAdmin = hasRole(core, actor, { repository, role: 'admin' });
  return {
    ...renderBriefly(core, repository, ruleset),
    conditions: ruleset.conditions,
    rules: ruleset.rules,
    ...(isAdmin ? { bypass_actors: ruleset.bypassActors } : {}),
    current_user_can_bypass: describeBypass(core, repository, { row: ruleset, actor }),
  };
}

function describeBypass(
  core: Core,
  repository: Repository,
  { row, actor }: { readonly row: Ruleset; readonly actor: Actor },
): string {
  const ruleset = readRuleset(row);
  const ruleActor = readActor(core, actor, repository);
  const always = bypassOf(ruleset, ruleActor, false);
  if (always !== 'no') return always;
  return bypassOf(ruleset, ruleActor, true) === 'no' ? 'never' : 'pull_requests_only';
}
