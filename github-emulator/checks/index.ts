// Checks and statuses. After a push to a branch, each installed App with the permission to write checks gets a check
// suite. The suite is empty until the App reports a check run.
import { actionsSlug } from '../actions/app.ts';
import { includesRepository } from '../auth/actor.ts';
import type { MakePart } from '../part.ts';
import { checkRoutes } from './checks.rest.ts';
import { makeSuite } from './runs.ts';
import { suitesOf } from './results.ts';
import { statusRoutes } from './statuses.rest.ts';

export const checksPart: MakePart = (core) => ({
  routes: [...checkRoutes, ...statusRoutes],
  onEvent: (event) => {
    if (event.name !== 'push') return;
    const { repository, sender, change } = event;
    const [, headBranch = null] = /^refs\/heads\/(.+)$/.exec(change.ref) ?? [];
    const headSha = change.to;
    if (headBranch === null || headSha === null) return;
    const known = new Set(suitesOf(core, repository, headSha).map(({ appId }) => appId));
    for (const { appId, permissions, suspendedAt } of core.state.installations.filter((each) =>
      includesRepository(each, repository),
    )) {
      const isActions = core.state.apps.must(appId).slug === actionsSlug;
      if (isActions || known.has(appId) || permissions['checks'] !== 'write' || suspendedAt !== null) continue;
      const checkSuite = makeSuite(core, repository, { appId, headSha, headBranch, before: change.from });
      core.emit({ name: 'check_suite', action: 'requested', repository, sender, checkSuite });
    }
  },
});
