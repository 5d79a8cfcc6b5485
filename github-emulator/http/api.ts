// Serves REST and GraphQL. Each REST request passes these steps: faults, authentication, limits, the check of the
// request against GitHub's description, the handler, and the check of the answer.
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../auth/authenticate.ts';
import type { Actor } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type { Fault, FaultState } from '../faults/controls.ts';
import type { ApiDescription } from '../openapi/description.ts';
import type { GraphqlAnswer, GraphqlRequest } from '../part.ts';
import { countCall } from '../usage.ts';
import { ApiError } from './errors.ts';
import { budgetHeaders, type RateLimits } from './limits.ts';
import type { Body, RestAnswer, RestRequest, RestRoute } from './route.ts';

export const apiPath = '/api/v3';
const version = '3.20.0';
const mutationPoints = 5;

export interface ApiOptions {
  readonly core: Core;
  readonly faults: FaultState;
  readonly limits: RateLimits;
  readonly description: ApiDescription;
  readonly routes: readonly RestRoute[];
  readonly graphql: ((request: GraphqlRequest) => Promise<GraphqlAnswer>) | null;
}

export function registerApi(fastify: FastifyInstance, options: ApiOptions): void {
  for (const route of options.routes) {
    fastify.route({
      method: route.method,
      url: `${apiPath}${fastifyPath(route.path)}`,
      exposeHeadRoute: false,
      handler: async (request, reply) => await serveRoute(options, route, { request, reply }),
    });
  }
  fastify.post('/api/graphql', async (request, reply) => await serveGraphql(options, request, reply));
  fastify.all(
    `${apiPath}/*`,
    async (_request, reply) => await send(reply, answerError(new ApiError(404, 'Not Found'))),
  );
}

async function serveRoute(
  options: ApiOptions,
  route: RestRoute,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const operation = `${route.method} ${route.path}`;
  countCall(operation);
  reply.header('date', new Date(options.core.clock()).toUTCString());
  await options.faults.delay(operation);
  const before = options.faults.takeFault(operation, 'before');
  if (before !== null) return await sendFault(reply, before);
  const answer = await answerRoute(options, route, { request, reply });
  const after = options.faults.takeFault(operation, 'after');
  if (after !== null) return await sendFault(reply, after);
  return await send(reply, answer, {
    request,
    refund: () => {
      reply.headers(budgetHeaders(options.limits.refund(authenticate(options.core, request.headers.authorization))));
    },
  });
}

async function answerRoute(
  { core, limits, description }: ApiOptions,
  route: RestRoute,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<RestAnswer> {
  const isRead = route.method === 'GET';
  try {
    const actor = authenticate(core, request.headers.authorization);
    const spending = {
      resource: 'core',
      cost: route.path === '/rate_limit' ? 0 : 1,
      points: isRead ? 1 : mutationPoints,
      makesContent: route.makesContent ?? false,
    } as const;
    reply.headers(budgetHeaders(limits.spend(actor, spending)));
    if (actor.kind === 'user') reply.header('x-oauth-scopes', actor.token.scopes.join(', '));
    const asked = readRequest(core, actor, { route, request });
    description.checkRequest(route, asked);
    const answer = await route.handle(asked);
    const isJson = answer.headers?.['content-type'] === undefined;
    const faults = isJson ? description.findFaults(route, answer) : [];
    if (faults.length === 0) return answer;
    core.mistakes.push(...faults.map((fault) => `${route.method} ${route.path} ${answer.status}: ${fault}`));
    return {
      status: 500,
      body: { message: 'The answer of the emulator is not as GitHub describes it.', errors: faults },
    };
  } catch (error) {
    if (error instanceof ApiError) return answerError(error);
    core.mistakes.push(`${route.method} ${request.url}: ${error instanceof Error ? error.stack : String(error)}`);
    return { status: 500, body: { message: error instanceof Error ? error.message : 'Internal error' } };
  } finally {
    if (!isRead) core.state.save();
  }
}

function readRequest(
  core: Core,
  actor: Actor,
  { route, request }: { readonly route: RestRoute; readonly request: FastifyRequest },
): RestRequest {
  const params = { ...(request.params as Record<string, string>) };
  const rest = params['*'];
  if (rest !== undefined) params[/\{(\w+)\}$/.exec(route.path)?.[1] ?? ''] = rest;
  return {
    core,
    actor,
    method: route.method,
    params,
    query: request.query as Record<string, string>,
    // Octokit sends an empty string if a request has no body.
    body: (typeof request.body === 'object' ? (request.body ?? {}) : {}) as Body,
    url: request.url.slice(apiPath.length),
    headers: request.headers,
  };
}

async function serveGraphql(options: ApiOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { core, faults, limits, graphql } = options;
  const { query: document = '' } = (request.body ?? {}) as { query?: string };
  countCall(`graphql ${/(?:query|mutation)\s+(\w+)/.exec(document)?.[1] ?? ''}`);
  await faults.delay('graphql');
  const before = faults.takeFault('graphql', 'before');
  if (before !== null) return await sendFault(reply, before);
  let answer: RestAnswer;
  try {
    const actor = authenticate(core, request.headers.authorization);
    if (actor.kind === 'anonymous' || actor.kind === 'app')
      throw new ApiError(401, 'This endpoint requires you to be authenticated.');
    if (graphql === null) throw new ApiError(404, 'Not Found');
    const body = (request.body ?? {}) as { query?: string; variables?: object; operationName?: string };
    const isMutation = /^\s*mutation\b/m.test(body.query ?? '');
    const points = isMutation ? mutationPoints : 1;
    limits.spend(actor, { resource: 'graphql', cost: 1, points, makesContent: isMutation });
    const { query = '', variables = {}, operationName = null } = body;
    const given = await graphql({ actor, query, variables: variables as Record<string, unknown>, operationName });
    if (given.cost > 1)
      limits.spend(actor, { resource: 'graphql', cost: given.cost - 1, points: 0, makesContent: false });
    reply.headers(budgetHeaders(limits.read(actor, 'graphql')));
    answer = { status: given.status, body: given.body };
    if (isMutation) core.state.save();
  } catch (error) {
    if (!(error instanceof ApiError))
      core.mistakes.push(`graphql: ${error instanceof Error ? error.stack : String(error)}`);
    answer = answerError(error instanceof ApiError ? error : new ApiError(500, String(error)));
  }
  const after = faults.takeFault('graphql', 'after');
  return after === null ? await send(reply, answer) : await sendFault(reply, after);
}

export function answerError(error: ApiError): RestAnswer {
  const body = {
    message: error.message,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    documentation_url: 'https://docs.github.com/rest',
    status: String(error.status),
    ...error.fields,
  };
  return { status: error.status, body, headers: error.headers };
}

interface Reading {
  readonly request: FastifyRequest;
  /** Called when the ETag of the request shows that the client has the same answer already. */
  readonly refund: () => void;
}

async function send(reply: FastifyReply, answer: RestAnswer, reading?: Reading): Promise<FastifyReply> {
  reply.headers({
    'x-github-enterprise-version': version,
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    ...answer.headers,
  });
  if (answer.body === undefined) return await reply.status(answer.status).send();
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  if (reading?.request.method === 'GET' && answer.status === 200) {
    const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
    reply.header('etag', etag).header('cache-control', 'private, max-age=60, s-maxage=60');
    if (isSameTag(reading.request.headers['if-none-match'], etag)) {
      reading.refund();
      return await reply.status(304).send();
    }
  }
  const type = answer.headers?.['content-type'] ?? 'application/json; charset=utf-8';
  return await reply.status(answer.status).type(type).send(text);
}

function isSameTag(given: string | undefined, etag: string): boolean {
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return given?.split(',').some((tag) => bare(tag) === bare(etag)) ?? false;
}

export async function sendFault(reply: FastifyReply, fault: Fault): Promise<FastifyReply> {
  if (fault.status === 'reset') {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  reply.headers(fault.headers ?? {});
  if (fault.status === 'cut') return cutBody(reply);
  const status = fault.status ?? 502;
  return await reply.status(status).send(fault.body ?? { message: 'Server Error' });
}

/** Sends the head of a JSON answer and the first byte of its body, and closes the connection. */
function cutBody(reply: FastifyReply): FastifyReply {
  reply.type('application/json; charset=utf-8').header('content-length', '1000').hijack();
  reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  reply.raw.write('[', () => reply.raw.destroy());
  return reply;
}

/** Translates a path to Fastify's form. A parameter at the end may contain slashes, for example in a ref name. */
function fastifyPath(path: string): string {
  return path.replace(/\/\{(ref|path|basehead|branch)\}$/, '/*').replaceAll(/\{(\w+)\}/g, ':$1');
}
