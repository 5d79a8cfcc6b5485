// Serves the schemas, for clients, editors and generators, and the pages that show the REST paths and GraphiQL. They
// contain no data of accounts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { configurationJsonSchema } from '../domain/configuration/index.ts';
import { projectRoot } from '../platform/project-root.ts';
import { serveApiDocs } from './api-docs.ts';
import { serveFolder } from './static-files.ts';

export function serveSchemas(fastify: FastifyInstance): void {
  const configuration = configurationJsonSchema();
  fastify.get(
    '/schema/config.json',
    async (_request, reply) =>
      await reply.type('application/schema+json; charset=utf-8').send(JSON.stringify(configuration)),
  );
  for (const [name, type] of [
    ['openapi.yaml', 'application/yaml'],
    ['schema.graphql', 'application/graphql'],
  ] as const) {
    const text = readFileSync(join(projectRoot, 'schema', name), 'utf8');
    if (name === 'openapi.yaml') serveApiDocs(fastify, text);
    fastify.get(`/schema/${name}`, async (_request, reply) => await reply.type(`${type}; charset=utf-8`).send(text));
  }
}

export async function serveGraphiql(fastify: FastifyInstance, folder: string): Promise<void> {
  if (existsSync(join(folder, 'index.html')))
    await serveFolder(fastify, { prefix: '/graphiql', folder, immutable: 'assets' });
}
