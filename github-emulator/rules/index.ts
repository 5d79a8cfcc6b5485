// Applies protection and rulesets to every push, every merge and every change of a ref by the API. A refusal has
// GitHub's text.
import type { RefRefusal, Rules } from '../git/rules.ts';
import { forbidden } from '../http/errors.ts';
import { findRepository, fullNameOf } from '../http/reach.ts';
import type { RestRoute } from '../http/route.ts';
import type { Core } from '../core.ts';
import type { MakePart } from '../part.ts';
import { decideRefChange, protectionOf, rulesetsOf, type RuleDecision } from './decide.ts';
import { readActor, readChange } from './facts.ts';
import { protectionRoutes } from './protection.rest.ts';
import { rulesetRoutes } from './rulesets.rest.ts';
import { lacksRules, rulesOfRepository } from './settings.ts';

export const rulesPart: MakePart = (core) => ({
  routes: [...protectionRoutes, ...rulesetRoutes].map(onlyWithPlan),
  rules: createRules(core),
});

/** Refuses the operation for a repository whose plan has no rules. */
function onlyWithPlan(route: RestRoute): RestRoute {
  return {
    ...route,
    handle: (request) => {
      const { owner = '', repo = '' } = request.params;
      const repository = findRepository(request.core, owner, repo);
      if (repository !== undefined && lacksRules(request.core, repository))
        throw forbidden('Upgrade to GitHub Pro or make this repository public to enable this feature.');
      return route.handle(request);
    },
  };
}

function createRules(core: Core): Rules {
  return async (request) => {
    const { repository, changes, via } = request;
    const rules = rulesOfRepository(core, repository);
    const actor = readActor(core, request.actor, repository);
    const refusals: RefRefusal[] = [];
    for (const move of changes) {
      const branch = move.ref.replace(/^refs\/heads\//, '');
      const isProtected = branch !== move.ref && protectionOf(rules.protections, branch) !== null;
      if (!isProtected && rulesetsOf(rules, move.ref).length === 0) continue;
      const decision = decideRefChange(rules, actor, await readChange(core, request, move));
      if (decision.kind === 'allowed') continue;
      refusals.push({
        ref: move.ref,
        reason: statusOfPushRefusal(decision),
        remote: describePushRefusal(decision, move.ref, `${core.urls.web}/${fullNameOf(core, repository)}`),
        api: { status: via === 'merge' ? 405 : 422, message: describeApiRefusal(decision) },
      });
    }
    return refusals;
  };
}

type Refusal = Extract<RuleDecision, { kind: 'refused' }>;

const bullets = (violations: readonly string[]) =>
  violations.flatMap((violation) => [...`- ${violation}`.split('\n'), '']);

/** The lines that git prints after `remote: `, without this prefix. */
function describePushRefusal(refusal: Refusal, ref: string, repositoryUrl: string): string[] {
  if (refusal.code === 'GH006') {
    return [`error: GH006: Protected branch update failed for ${ref}.`, '', ...bullets(refusal.violations)];
  }
  return [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${repositoryUrl}/rules?ref=${encodeURIComponent(ref)}`,
    '',
    ...bullets(refusal.violations),
  ];
}

/** The reason that git prints in parentheses after `[remote rejected]`. */
function statusOfPushRefusal(refusal: Refusal): string {
  return refusal.code === 'GH006'
    ? 'protected branch hook declined'
    : 'push declined due to repository rule violations';
}

/** The `message` of the REST answer with status 405 (merge) or 422 (refs). */
function describeApiRefusal(refusal: Refusal): string {
  const sentences = refusal.violations.map((violation) => violation.split('\n')[0]);
  return refusal.code === 'GH006'
    ? sentences.join(' ')
    : ['Repository rule violations found', ...sentences, ''].join('\n\n').trimEnd();
}
