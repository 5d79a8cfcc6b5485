import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';
import type { KeptAnswers } from '../server/idempotency.ts';
import type { RateLimiter } from '../server/rate-limit.ts';
import { RateLimited } from '../server/rate-limit.ts';
import type { GraphQLContext } from './context.ts';
import { refusal, tellError } from './errors.ts';
import { keepAnswers } from './idempotency.ts';
import { mostTokens, pointsOf } from './limits.ts';

export interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: KeptAnswers;
  readonly log: Logger;
}

export function createApollo({ schema, rateLimiter, keptAnswers, log }: ApolloOptions): ApolloServer<GraphQLContext> {
  return new ApolloServer<GraphQLContext>({
    schema,
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    cache: 'bounded',
    parseOptions: { maxTokens: mostTokens },
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      limitRequests(rateLimiter),
      tellErrors(log),
      // Last, so that it keeps what is told.
      keepAnswers(keptAnswers, log),
    ],
  });
}

function limitRequests(rateLimiter: RateLimiter): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ schema, document, operation, request, contextValue, response }) => {
        if (!operation) return;
        try {
          const points = pointsOf({ schema, document, operation, variables: request.variables ?? {} });
          for (const [name, value] of rateLimiter.take(contextValue.accountId, points))
            response.http.headers.set(name, value);
        } catch (error) {
          throw error instanceof DomainError
            ? refusal(error, error instanceof RateLimited ? error.headers : undefined)
            : error;
        }
      },
    }),
  };
}

// Errors are logged here and not in formatError, which does not know the account of the request.
function tellErrors(log: Logger): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      const found = new Map<string, readonly GraphQLError[]>();
      return {
        didEncounterErrors: async ({ errors }) => void found.set('errors', errors),
        willSendResponse: async ({ response, contextValue }) => {
          if (response.body.kind !== 'single' || !response.body.singleResult.errors) return;
          // A kept answer has been told before.
          if (!found.has('errors')) return;
          response.body.singleResult.errors = (found.get('errors') ?? []).map((error) => {
            const reported = tellError(error, contextValue.requestId);
            if (reported.isOurs)
              log.error(
                { err: error.originalError ?? error, requestId: contextValue.requestId },
                'a GraphQL request failed',
              );
            return reported.error.toJSON();
          });
        },
      };
    },
  };
}
