// A folder of built files, read into memory once: a few megabytes, and no path of a request ever reaches the disk.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

interface File {
  readonly body: Buffer;
  readonly type: string;
}

/** Serves `folder` under `prefix`, its index.html at the prefix itself. */
export function serveFolder(fastify: FastifyInstance, prefix: string, folder: string): void {
  const files = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const file: File = { body: readFileSync(path), type: types[extname(entry.name)] ?? 'application/octet-stream' };
        return [relative(folder, path).split(sep).join('/'), file] as const;
      }),
  );
  const send = (reply: FastifyReply, name: string): unknown => {
    const file = files.get(name);
    if (!file) return reply.callNotFound();
    // Built names carry a hash of their content, except for the page that names them.
    const caching = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    return reply.header('cache-control', caching).type(file.type).send(file.body);
  };
  fastify.get(prefix, async (_request, reply) => await reply.redirect(`${prefix}/`));
  fastify.get<{ Params: { '*': string } }>(`${prefix}/*`, (request, reply) =>
    send(reply, request.params['*'] || 'index.html'),
  );
}
