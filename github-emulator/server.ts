// The HTTP server: the API, git, pages and controls at one address.
import Fastify, { type FastifyInstance } from 'fastify';
import type { Core } from './core.ts';
import type { FaultState, Controls } from './faults/controls.ts';
import { registerGit } from './git/http.ts';
import { registerApi } from './http/api.ts';
import type { RateLimits } from './http/limits.ts';
import type { ApiDescription } from './openapi/description.ts';
import type { Part } from './part.ts';
import { registerUsage } from './usage.ts';

export interface World {
  readonly core: Core;
  readonly faults: FaultState;
  readonly limits: RateLimits;
  readonly description: ApiDescription;
  readonly parts: readonly Part[];
  readonly urls: { web: string; api: string; graphql: string };
}

const longestBody = 512 * 1024 * 1024;

export async function createServer(
  world: World,
  https: { key: string; cert: string } | null = null,
): Promise<FastifyInstance> {
  const { core, faults, limits, description } = world;
  const byId = /^\/api\/v3\/repositories\/(\d+)(\/|\?|$)/;
  // The types of a plain server and a TLS server differ only in their socket.
  const fastify = Fastify({
    bodyLimit: longestBody,
    forceCloseConnections: true,
    ...(https === null ? {} : { https }),
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    // The redirect after a rename points to a path with the id of the repository.
    rewriteUrl: ({ url = '/' }) => {
      const [whole, id, rest] = byId.exec(url) ?? [];
      const repository = whole === undefined ? undefined : core.state.repositories.get(Number(id));
      if (whole === undefined || repository === undefined) return url;
      const owner = core.state.accounts.must(repository.ownerId).login;
      return url.replace(whole, `/api/v3/repos/${owner}/${repository.name}${rest}`);
    },
  }) as unknown as FastifyInstance;
  let lastRequest = 0;
  fastify.addHook('onRequest', async (_request, reply) => {
    lastRequest += 1;
    reply.header('x-github-request-id', `${lastRequest.toString(16).toUpperCase().padStart(4, '0')}:E0A1`);
  });
  acceptJson(fastify);
  const routes = world.parts.flatMap((part) => part.routes ?? []);
  for (const each of routes) description.mustDescribe(each);
  const graphql = world.parts.find((part) => part.graphql !== undefined)?.graphql ?? null;
  registerApi(fastify, { core, faults, limits, description, routes, graphql });
  await registerGit(fastify, core, faults);
  registerControls(fastify, faults.controls);
  registerUsage(fastify);
  for (const part of world.parts) await part.serve?.(fastify);
  return fastify;
}

/**
 * Parses a body as JSON, whatever its content type is, as GitHub does. Octokit sends the content type of JSON even
 * without a body. `curl --data` sends JSON with the content type of a form. Only the forms of pages have fields and
 * values.
 */
function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => readJson(String(text), done));
  fastify.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    if (/^\s*[[{]/.test(String(text))) readJson(String(text), done);
    else done(null, Object.fromEntries(new URLSearchParams(String(text))));
  });
  fastify.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode = 500, message } = error;
    return await reply.status(statusCode).send({ message, documentation_url: 'https://docs.github.com/rest' });
  });
}

function readJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, text === '' ? {} : JSON.parse(text));
  } catch {
    done(Object.assign(new Error('Problems parsing JSON'), { statusCode: 400 }));
  }
}

/** The controls that only a test in the same process can use. */
const localControls: ReadonlySet<string> = new Set(['checks', 'hold']);

/** Registers the controls of a running program: `POST /_emulator/controls` with `{ "<control>": [arguments] }`. */
function registerControls(fastify: FastifyInstance, controls: Controls): void {
  fastify.post<{ Body: Record<string, unknown[]> }>('/_emulator/controls', async (request, reply) => {
    for (const [name, given] of Object.entries(request.body)) {
      if (!Object.hasOwn(controls, name) || localControls.has(name))
        return await reply
          .status(400)
          .send({ message: `There is no control ${name}. Use one of ${namesOf(controls)}.` });
      const apply = controls[name as keyof Controls] as (...all: unknown[]) => unknown;
      await apply(...(Array.isArray(given) ? given : [given]));
    }
    return await reply.status(204).send();
  });
}

function namesOf(controls: Controls): string {
  return Object.keys(controls)
    .filter((name) => !localControls.has(name))
    .join(', ');
}
