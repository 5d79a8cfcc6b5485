// Protection and rulesets judge every push, every merge and every change of a ref by the API.
import type { RefRefusal, Rules } from '../git/rules.ts';
import { fullNameOf } from '../http/reach.ts';
import type { Core } from '../core.ts';
import type { MakePart } from '../part.ts';
import { decideRefChange, protectionOf, rulesetsOf } from './decide.ts';
import { readActor, readChange } from './facts.ts';
import { protectionRoutes } from './protection.rest.ts';
import { rulesetRoutes } from './rulesets.rest.ts';
import { rulesOfRepository } from './settings.ts';
import { describeApiRefusal, describePushRefusal, statusOfPushRefusal } from './wording.ts';

export const rulesPart: MakePart = (core) => ({
  routes: [...protectionRoutes, ...rulesetRoutes],
  rules: createRules(core),
});

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
