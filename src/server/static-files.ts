// Folders of built files, served as they are, or as the `.br` beside them that their build made. `sirv` would write
// past the hooks of Fastify, which add `X-Request-Id`.
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance } from 'fastify';

export interface ServedFolder {
  readonly prefix: string;
  readonly folder: string;
  /** The folder below, or '' for all of it, whose names carry a hash of their content. */
  readonly immutable: string;
}

/** Serves `folder` under `prefix`, its index.html at the prefix itself. */
export async function serveFolder(
  fastify: FastifyInstance,
  { prefix, folder, immutable }: ServedFolder,
): Promise<void> {
  const hashed = join(folder, immutable, sep);
  await fastify.register(async (scope) => {
    // The library's table of types is older than RFC 9239, which left scripts one name.
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.getHeader('content-type') === 'application/javascript; charset=utf-8')
        reply.header('content-type', 'text/javascript; charset=utf-8');
    });
    // A path that leads out of the folder names nothing here: no other answer than for any other such path.
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      if (error.statusCode !== 403) throw error;
      reply.callNotFound();
    });
    scope.get(prefix, async (_request, reply) => await reply.redirect(`${prefix}/`));
    await scope.register(fastifyStatic, {
      root: folder,
      prefix: `${prefix}/`,
      decorateReply: false,
      preCompressed: true,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (reply, path) =>
        void reply
          .header('cache-control', path.startsWith(hashed) ? 'public, max-age=31536000, immutable' : 'no-cache')
          // A page in a frame of another site could be made to look like something else, and be clicked.
          .header('content-security-policy', "frame-ancestors 'none'"),
    });
  });
}
