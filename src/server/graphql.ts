// Serves GraphQL over HTTP. Subscriptions use WebSockets (src/graphql/sockets.ts).
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Ports } from '../context.ts';
import { DomainError, errorCodes } from '../domain/errors.ts';
import { createApollo } from '../graphql/apollo.ts';
import type { CompiledQueries } from '../graphql/compiled.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from '../graphql/context.ts';
import { refusal } from '../graphql/errors.ts';
import { createKnownQueries } from '../graphql/known-queries.ts';
import { refuseDeepNesting } from '../graphql/nesting.ts';
import { inOperationSpan, type MeasureOperation } from '../graphql/measuring.ts';
import { inMarkedScope } from '../platform/database.ts';
import { outageAsRefusal } from '../platform/outage.ts';
import { sendFailure } from './answers.ts';
import type { Callers } from './callers.ts';
import type { AnswerStore } from './idempotency.ts';
import { answerKnownQuery, type Admitted } from './known-queries.ts';
import { RateLimited, type RateLimiter } from './rate-limit.ts';

export interface GraphQLOptions {
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly callers: Callers;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly log: Ports['log'];
  /** The clock of the instants in answers. */
  readonly clock: Ports['clock'];
  readonly measure: MeasureOperation;
}

// The limit is high, because a mutation can contain many affected targets.
const graphqlBodyLimit = 20 * 1024 * 1024;

const firstPoint = 1;

/** The text of the query. Empty: the request has no query, or its query is not a text. */
function queryOf({ method, body, query }: FastifyRequest): string {
  const { query: text } = ((method === 'GET' ? query : body) ?? {}) as { readonly query?: unknown };
  return typeof text === 'string' ? text : '';
}

function headersOf(refused: DomainError): ReadonlyMap<string, string> | undefined {
  if (refused instanceof RateLimited) return refused.headers;
  return refused.code === 'UNAUTHENTICATED' ? new Map([['www-authenticate', 'Bearer']]) : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: the request is not admitted, or is no GraphQL request. */
    admitted: Admitted | null;
    /** The error that says why a GraphQL request is not admitted. */
    refusal: unknown;
  }
}

/** Whether the caller of the request is known, and within the rate limit. */
async function admits(
  { callers, rateLimiter }: Pick<GraphQLOptions, 'callers' | 'rateLimiter'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    const { ctx } = callers.known(request, request.id) ?? (await callers.authenticate(request, request.id));
    // One point is taken before the document is read, because documents that are refused take CPU too.
    for (const [name, value] of rateLimiter.take(ctx.accountId, firstPoint)) reply.header(name, value);
    request.admitted = { ctx, pointsTaken: firstPoint };
    return true;
  } catch (error) {
    request.refusal = error;
    return false;
  }
}

/** Returns the Apollo server, which the caller must stop. */
export async function serveGraphQL(
  fastify: FastifyInstance,
  { callers, services, log, clock, ...executing }: GraphQLOptions,
): Promise<ApolloServer<GraphQLContext>> {
  const known = createKnownQueries();
  const apollo = createApollo({ ...executing, known, log });
  await apollo.start();
  fastify.decorateRequest('admitted', null);
  fastify.decorateRequest('refusal', null);
  const handler = fastifyApolloHandler(apollo, {
    context: async (request): Promise<GraphQLContext> => {
      try {
        if (request.admitted === null) throw request.refusal;
        const { ctx, pointsTaken } = request.admitted;
        refuseDeepNesting(queryOf(request));
        return { ...graphQLContext(ctx, services, 'graphql_api'), pointsTaken };
      } catch (error) {
        const refused = outageAsRefusal(error);
        if (!(refused instanceof DomainError)) throw refused;
        if (errorCodes[refused.code] >= 500) log.error({ err: error, requestId: request.id }, 'a request failed');
        throw refusal(refused, headersOf(refused));
      }
    },
  });
  const quick = { ...executing, known, services };
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    await inOperationSpan(
      async () =>
        (await answerKnownQuery(quick, request, reply)) ??
        (await inMarkedScope(null, async () => await handler.call(fastify, request, reply))),
    );
  fastify.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: graphqlBodyLimit,
    exposeHeadRoute: false,
    // Answers to GET requests with a session must not be cached for others.
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      // Apollo would fail with an internal error, because it parses a URL that it makes of the host and the target.
      if (!URL.canParse(request.url, `http://${request.hostname}/`))
        return await sendFailure(reply, 400, { error: 'The header Host must be the name of a host.' });
      // A refused request is answered before its body is read, because the body may be large.
      if (!(await admits({ callers, ...executing }, request, reply)))
        return await reply.send(await answer(request, reply));
      const { 'content-encoding': coding = 'identity' } = request.headers;
      if (coding.toLowerCase() !== 'identity')
        return await sendFailure(reply, 415, {
          error: 'Content-Encoding must be identity: send the body uncompressed',
        });
      return undefined;
    },
    // The dashboard goes by this header, and compares it with the instants in answers. Node would take the clock of the
    // machine.
    onSend: async (_request, reply) => void reply.header('date', clock().toUTCString()),
    handler: answer,
  });
  return apollo;
}
