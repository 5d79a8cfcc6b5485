// The root of the API. Command lines ask it whether a token is good, and which scopes the token has.
import { authenticate } from '../auth/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import type { MakePart } from '../part.ts';

export const rootPart: MakePart = (core) => ({
  serve: (fastify) => {
    fastify.get('/api/v3', async (request, reply) => {
      try {
        const actor = authenticate(core, request.headers.authorization);
        if (actor.kind === 'user') reply.header('x-oauth-scopes', actor.token.scopes.join(', '));
        const { api } = core.urls;
        return await reply.send({
          current_user_url: `${api}/user`,
          organization_url: `${api}/orgs/{org}`,
          repository_url: `${api}/repos/{owner}/{repo}`,
        });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return await reply.status(error.status).send({ message: error.message });
      }
    });
  },
});
