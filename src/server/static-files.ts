// Serves folders of built files. If a client accepts Brotli, it gets the `.br` file that the build made beside a file.
// `sirv` is not used, because it bypasses Fastify's hooks, which add `X-Request-Id`.
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance } from 'fastify';

export interface ServedFolder {
  readonly prefix: string;
  readonly folder: string;
  /** The subfolder of files whose names contain a hash of their content. Empty: all of the folder. */
  readonly immutable: string;
}

/** Serves `folder` under `prefix`. Its index.html is at the prefix itself. */
export async function serveFolder(
  fastify: FastifyInstance,
  { prefix, folder, immutable }: ServedFolder,
): Promise<void> {
  const hashed = join(folder, immutable, sep);
  await fastify.register(async (scope) => {
    // The library's table of media types is older than RFC 9239, which allows only text/javascript for scripts.
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.getHeader('content-type') === 'application/javascript; charset=utf-8')
        reply.header('content-type', 'text/javascript; charset=utf-8');
    });
    // A path that leads out of the folder is answered like any other unknown path.
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
          // Other sites must not show the page in a frame, because of clickjacking.
          .header('content-security-policy', "frame-ancestors 'none'"),
    });
  });
}
