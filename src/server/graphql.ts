// Serves GraphQL over HTTP. Subscriptions use WebSockets (src/graphql/sockets.ts).
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Ports } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import { createApollo } from '../graphql/apollo.ts';
import type { CompiledQueries } from '../graphql/compiled.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from '../graphql/context.ts';
import { refusal } from '../graphql/errors.ts';
import type { MeasureOperation } from '../graphql/measuring.ts';
import { outageAsRefusal } from '../platform/outage.ts';
import type { Callers } from './callers.ts';
import type { AnswerStore } from './idempotency.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface GraphQLOptions {
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly callers: Callers;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly log: Ports['log'];
  readonly measure: MeasureOperation;
}

// The limit is high, because a mutation can contain many affected targets.
const graphqlBodyLimit = 20 * 1024 * 1024;
const callersFault: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN']);

/** Returns the Apollo server, which the caller must stop. */
export async function serveGraphQL(
  fastify: FastifyInstance,
  { callers, services, log, ...executing }: GraphQLOptions,
): Promise<ApolloServer<GraphQLContext>> {
  const apollo = createApollo({ ...executing, log });
  await apollo.start();
  const handler = fastifyApolloHandler(apollo, {
    context: async (request): Promise<GraphQLContext> => {
      try {
        const { ctx } = await callers.authenticate(request, request.id);
        return graphQLContext(ctx, services, 'graphql_api');
      } catch (error) {
        const refused = outageAsRefusal(error);
        if (!(refused instanceof DomainError)) throw refused;
        if (!callersFault.has(refused.code)) log.error({ err: error, requestId: request.id }, 'a request failed');
        throw refusal(
          refused,
          refused.code === 'UNAUTHENTICATED' ? new Map([['www-authenticate', 'Bearer']]) : undefined,
        );
      }
    },
  });
  fastify.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: graphqlBodyLimit,
    exposeHeadRoute: false,
    // Answers to GET requests with a session must not be cached for others.
    onRequest: async (_request, reply) => void reply.header('cache-control', 'no-store'),
    handler,
  });
  return apollo;
}
