// Pages for people: sign-in, Apps, repositories and pull requests.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core.ts';
import { findPull, findRepository, fullNameOf } from '../http/reach.ts';
import type { MakePart } from '../part.ts';
import { isAbout } from '../pulls/timeline.ts';
import { manifestRoutes, registerAppPages } from './apps.ts';
import { escape, sendPage } from './html.ts';
import { registerOauth } from './oauth.ts';

export const pagesPart: MakePart = (core) => ({
  routes: manifestRoutes,
  serve: (fastify) => {
    registerOauth(fastify, core);
    registerAppPages(fastify, core);
    registerRepositoryPages(fastify, core);
  },
});

interface Place {
  Params: { owner: string; repo: string; number: string };
}

function registerRepositoryPages(fastify: FastifyInstance, core: Core): void {
  fastify.get('/', async (_request, reply) => {
    const names = core.state.repositories.all().map((each) => fullNameOf(core, each));
    const links = names.map((name) => `<li><a href="/${escape(name)}">${escape(name)}</a></li>`);
    return await sendPage(reply, 'Repositories', `<ul>${links.join('')}</ul>`);
  });
  fastify.get<Place>('/:owner/:repo', async (request, reply) => {
    const repository = findRepository(core, request.params.owner, request.params.repo);
    if (repository === undefined) return await sendPage(reply, 'Not found', '', 404);
    const name = fullNameOf(core, repository);
    const pulls = core.state.pullRequests.filter((each) => each.repositoryId === repository.id).toReversed();
    const links = pulls.map(
      (pull) =>
        `<li><a href="/${name}/pull/${pull.number}">#${pull.number} ${escape(pull.title)}</a>, ${pull.state}</li>`,
    );
    return await sendPage(reply, name, `<p><code>${core.urls.web}/${name}.git</code></p><ul>${links.join('')}</ul>`);
  });
  fastify.get<Place>('/:owner/:repo/pull/:number', async (request, reply) => {
    const repository = findRepository(core, request.params.owner, request.params.repo);
    const pull = repository === undefined ? undefined : findPull(core, repository, Number(request.params.number));
    if (pull === undefined) return await sendPage(reply, 'Not found', '', 404);
    const state = pull.mergedAt === null ? pull.state : `merged as ${pull.mergeCommitSha}`;
    const labels = pull.labelIds.map((id) => core.state.labels.must(id).name).join(', ');
    const comments = core.state.comments
      .filter(isAbout(pull))
      .map(
        ({ authorId, body }) =>
          `<li><b>${core.state.accounts.must(authorId).login}</b> <pre>${escape(body)}</pre></li>`,
      );
    const body = `<p>${state}: <code>${escape(pull.head.ref)}</code> into <code>${escape(pull.base.ref)}</code></p>
<p>Labels: ${escape(labels)}</p><pre>${escape(pull.body ?? '')}</pre><ul>${comments.join('')}</ul>`;
    return await sendPage(reply, `#${pull.number} ${pull.title}`, body);
  });
}
