// Checks and statuses. A push gives each App that writes checks a suite of its own, which stays empty until the App
// reports.
import { includes } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type { MakePart, Part } from '../part.ts';
import { renderCommit } from '../render/commits.ts';
import type { CheckSuite, Repository } from '../model/types.ts';
import { type Json, renderApp } from '../render/accounts.ts';
import { fullNameOf } from '../http/reach.ts';
import { actionsSlug } from '../actions/app.ts';
import { checkRoutes } from './checks.rest.ts';
import { renderCheckRun, renderCheckSuite, renderSimpleStatus } from './render.ts';
import { suiteFor } from './runs.ts';
import { statusRoutes } from './statuses.rest.ts';

export const checksPart: MakePart = (core) => ({
  routes: [...checkRoutes, ...statusRoutes],
  hear: (event) => {
    const branch = event.name === 'push' ? /^refs\/heads\/(.+)$/.exec(event.change.ref)?.[1] : undefined;
    if (event.name !== 'push' || branch === undefined || event.change.to === null) return;
    const { repository, sender, change } = event;
    for (const installation of core.state.installations.filter((each) => includes(each, repository))) {
      const isActions = core.state.apps.must(installation.appId).slug === actionsSlug;
      if (isActions || installation.permissions['checks'] !== 'write' || installation.suspendedAt !== null) continue;
      const headSha = change.to ?? '';
      const given = { appId: installation.appId, headSha, headBranch: branch, before: change.from };
      const before = core.state.checkSuites.all().length;
      const checkSuite = suiteFor(core, repository, given);
      if (core.state.checkSuites.all().length > before)
        core.emit({ name: 'check_suite', action: 'requested', repository, sender, checkSuite });
    }
  },
  payloads: createPayloads(core),
});

/** GitHub's description of these two webhooks does not know the event `repository_ruleset` of an App. */
function renderDescribedApp(core: Core, appId: number): Json {
  const app = core.state.apps.must(appId);
  return renderApp(core, { ...app, events: app.events.filter((event) => event !== 'repository_ruleset') });
}

async function renderDescribedSuite(core: Core, repository: Repository, suite: CheckSuite): Promise<Json> {
  return { ...(await renderCheckSuite(core, repository, suite)), app: renderDescribedApp(core, suite.appId) };
}

function createPayloads(core: Core): NonNullable<Part['payloads']> {
  return {
    check_run: async ({ repository, checkRun }) => ({
      check_run: {
        ...renderCheckRun(core, repository, checkRun),
        app: renderDescribedApp(core, checkRun.appId),
        check_suite: await renderDescribedSuite(core, repository, core.state.checkSuites.must(checkRun.checkSuiteId)),
      },
    }),
    check_suite: async ({ repository, checkSuite }) => ({
      check_suite: await renderDescribedSuite(core, repository, checkSuite),
    }),
    status: async ({ repository, status }) => {
      const commit = await core.git.readCommit(repository, status.sha);
      const refs = await core.git.listRefs(repository, 'refs/heads/');
      const url = `${core.urls.api}/repos/${fullNameOf(core, repository)}/commits/${status.sha}`;
      const branches: Json[] = [...refs]
        .filter(([, sha]) => sha === status.sha)
        .map(([ref, sha]) => ({ name: ref.replace('refs/heads/', ''), protected: false, commit: { sha, url } }));
      const { id, state, context, description, target_url, avatar_url, created_at, updated_at } = renderSimpleStatus(
        core,
        repository,
        status,
      );
      return {
        id,
        sha: status.sha,
        name: fullNameOf(core, repository),
        avatar_url,
        target_url,
        context,
        description,
        state,
        commit: commit === null ? null : renderCommit(core, repository, commit),
        branches,
        created_at,
        updated_at,
      };
    },
  };
}
