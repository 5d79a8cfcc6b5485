// Statuses of commits by REST.
import { accountOf } from '../auth/actor.ts';
import { unprocessable } from '../http/errors.ts';
import { answerPage } from '../http/paging.ts';
import { reachRepository } from '../http/reach.ts';
import { created, ok, type RestRoute, route } from '../http/route.ts';
import type { CommitStatus } from '../model/types.ts';
import { renderRepository, repositoryUrl } from '../render/repositories.ts';
import { mustCommit } from './checks.rest.ts';
import { renderStatus } from '../render/checks.ts';
import { combineStatuses, latestStatuses, statusesOf } from './results.ts';

const read = { permission: 'statuses', level: 'read' } as const;
const write = { permission: 'statuses', level: 'write' } as const;
const maxStatuses = 1000;

export const statusRoutes: readonly RestRoute[] = [
  route(
    'POST',
    '/repos/{owner}/{repo}/statuses/{sha}',
    async (request) => {
      const repository = reachRepository(request, write);
      const { core } = request;
      const sha = request.params['sha'] ?? '';
      if (!/^[0-9a-f]{40}$/.test(sha) || (await core.git.resolve(repository, sha)) === null)
        throw unprocessable(`No commit found for SHA: ${sha}`);
      const given = request.body as {
        state: CommitStatus['state'];
        context?: string;
        description?: string | null;
        target_url?: string | null;
      };
      const context = given.context ?? 'default';
      const same = statusesOf(core, repository, sha).filter((each) => each.context === context);
      if (same.length >= maxStatuses)
        throw unprocessable('This SHA and context has reached the maximum number of statuses.');
      const at = core.now();
      const sender = accountOf(request.actor);
      const status = core.state.statuses.insert({
        repositoryId: repository.id,
        sha,
        context,
        state: given.state,
        description: given.description ?? null,
        targetUrl: given.target_url ?? null,
        creatorId: sender.id,
        createdAt: at,
        updatedAt: at,
      });
      core.emit({ name: 'status', repository, sender, status });
      return created(renderStatus(core, repository, status));
    },
    { makesContent: true },
  ),
  route('GET', '/repos/{owner}/{repo}/commits/{ref}/statuses', async (request) => {
    const repository = reachRepository(request, read);
    const sha = await mustCommit(request, repository);
    const statuses = statusesOf(request.core, repository, sha);
    return await answerPage(request, statuses, (each) => renderStatus(request.core, repository, each));
  }),
  route('GET', '/repos/{owner}/{repo}/commits/{ref}/status', async (request) => {
    const repository = reachRepository(request, read);
    const sha = await mustCommit(request, repository);
    const statuses = statusesOf(request.core, repository, sha);
    const latest = latestStatuses(statuses);
    const url = `${repositoryUrl(request.core, repository)}/commits/${sha}`;
    return ok({
      state: combineStatuses(statuses),
      statuses: latest.map((each) => renderStatus(request.core, repository, each)),
      sha,
      total_count: latest.length,
      repository: renderRepository(request.core, repository),
      commit_url: url,
      url: `${url}/status`,
    });
  }),
];
