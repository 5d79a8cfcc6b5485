import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { OperationTypeNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { DomainError } from '../domain/errors.ts';
import type { AnswerStore } from '../server/idempotency.ts';
import type { RateLimiter } from '../server/rate-limit.ts';
import { RateLimited } from '../server/rate-limit.ts';
import type { CompiledQueries } from './compiled.ts';
import type { GraphQLContext } from './context.ts';
import type { KnownQueries } from './known-queries.ts';
import { refusal, reportError, withListedCode } from './errors.ts';
import { storeAnswers, type ResolvedOperation } from './idempotency.ts';
import { maxTokens, pointsOf } from './limits.ts';
import type { MeasureOperation } from './measuring.ts';

export interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly known: KnownQueries;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly log: Logger;
  readonly measure: MeasureOperation;
}

export function createApollo({
  schema,
  compiled,
  known,
  rateLimiter,
  keptAnswers,
  log,
  measure,
}: ApolloOptions): ApolloServer<GraphQLContext> {
  return new ApolloServer<GraphQLContext>({
    schema,
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    cache: 'bounded',
    formatError: withListedCode,
    parseOptions: { maxTokens },
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      measureOperations(measure),
      runCompiled(compiled, known),
      reportErrors(log),
      // The last plugin, so that it stores errors in the form in which they are sent.
      storeAnswers({ kept: keptAnswers, log, admit: (context) => takePoints(rateLimiter, context) }),
    ],
  });
}

function measureOperations(measure: MeasureOperation): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      const startedAt = performance.now();
      return {
        willSendResponse: async ({ operationName, response, errors }) => {
          if (response.body.kind !== 'single') return;
          measure({ name: operationName ?? null, errors: errors ?? [], startedAt });
        },
      };
    },
  };
}

/** Throws the refusal of a request that is a subscription, or exceeds a limit or the rate limit. */
function takePoints(
  rateLimiter: RateLimiter,
  { schema, document, operation, request, contextValue, response }: ResolvedOperation,
): void {
  if (!operation) return;
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    throw refusal(new DomainError('BAD_INPUT', 'Subscriptions need a WebSocket (graphql-transport-ws).'));
  try {
    const points = pointsOf({ schema, document, operation, variables: request.variables ?? {} });
    const { accountId, pointsTaken = 0 } = contextValue;
    for (const [name, value] of rateLimiter.take(accountId, points - pointsTaken))
      response.http.headers.set(name, value);
  } catch (error) {
    throw error instanceof DomainError
      ? refusal(error, error instanceof RateLimited ? error.headers : undefined)
      : error;
  }
}

function runCompiled(compiled: CompiledQueries, known: KnownQueries): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => ({
      responseForOperation: async ({ document, operation, request, operationName, contextValue, response }) => {
        // The types of Apollo say that there is an operation, but a request may name an unknown one.
        if ((operation as typeof operation | undefined)?.operation !== OperationTypeNode.QUERY) return null;
        const variables = request.variables ?? {};
        const result = await compiled.run({ document, variables, operationName, contextValue });
        if (result === null) return null;
        if (request.query !== undefined) known.remember(request.query, { document, operation });
        return { http: response.http, body: { kind: 'single', singleResult: { data: result.data ?? null } } };
      },
    }),
  };
}

// Errors are logged here and not in `formatError`, which does not have the context of the request.
function reportErrors(log: Logger): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      const found = new Map<string, readonly GraphQLError[]>();
      return {
        didEncounterErrors: async ({ errors }) => void found.set('errors', errors),
        willSendResponse: async ({ response, contextValue }) => {
          if (response.body.kind !== 'single' || !response.body.singleResult.errors) return;
          // An answer whose errors did not occur in this request is a stored answer. Its errors were reported when it was
          // first sent.
          if (!found.has('errors')) return;
          response.body.singleResult.errors = (found.get('errors') ?? []).map((error) => {
            const reported = reportError(error, contextValue.requestId);
            if (reported.isServerFault)
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
