// Serves REST. Every route of the facade is executed as a GraphQL operation in this process.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import {
  compileFacade,
  registerFacade,
  type DocumentSource,
  type Idempotency,
  type KeyedRequest,
} from '../../rest-facade/index.ts';
import type { Scope } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import type { CompiledQueries } from '../graphql/compiled.ts';
import { graphQLContext, type RequestServices } from '../graphql/context.ts';
import { withDomainError } from '../graphql/errors.ts';
import { inOperationSpan, type MeasureOperation } from '../graphql/measuring.ts';
import { requireScope, type Authenticator, type Session } from '../modules/accounts/index.ts';
import { inMarkedScope, type CommitMarks } from '../platform/database.ts';
import { refusingOutages } from '../platform/outage.ts';
import type { Callers } from './callers.ts';
import type { IdempotencyKey, AnswerStore } from './idempotency.ts';
import { RateLimited, type RateLimiter } from './rate-limit.ts';

export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly documents: readonly DocumentSource[];
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly measure: MeasureOperation;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends a REST request. Null: the request is not authenticated, or is no REST request. */
    restSession: Session | null;
    /** Headers about the rate limit, for the answer to a REST request. */
    allowance: ReadonlyMap<string, string> | null;
    /** Marks of the transactions of a REST request with an `Idempotency-Key`. */
    commitMarks: CommitMarks | null;
  }
}

export function serveRest(fastify: FastifyInstance, options: RestOptions): void {
  const { schema, documents, keptAnswers, rateLimiter } = options;
  // Properties of the request are used instead of a WeakMap, because its entries cost each garbage collection time.
  fastify.decorateRequest('restSession', null);
  fastify.decorateRequest('allowance', null);
  fastify.decorateRequest('commitMarks', null);
  const sessionOf = ({ restSession }: FastifyRequest): Session => {
    if (restSession === null) throw new DomainError('UNAUTHENTICATED', 'Unauthorized');
    return restSession;
  };
  fastify.addHook('onSend', (request, reply, payload, done) => {
    for (const [name, value] of request.allowance ?? []) reply.header(name, value);
    done(null, payload);
  });
  registerFacade(fastify, {
    operations: compileFacade({ schema, documents }),
    idempotency: idempotencyOf(keptAnswers, sessionOf),
    authenticate: async (request) => {
      const session = options.callers.known(request, request.id) ?? (await authenticate(options, request));
      request.restSession = session;
      try {
        request.allowance = rateLimiter.take(session.ctx.accountId, 1);
      } catch (error) {
        if (error instanceof RateLimited) request.allowance = error.headers;
        throw error;
      }
    },
    execute: async (called) => {
      const { commitMarks: marks } = called.request;
      const work = async (): Promise<ExecutionResult> => await execute(options, called, sessionOf(called.request));
      return marks === null ? await work() : await inMarkedScope(marks, work);
    },
  });
}

function idempotencyOf(keptAnswers: AnswerStore, sessionOf: (request: FastifyRequest) => Session): Idempotency {
  const keyOf = ({ operation, key, fingerprint, request }: KeyedRequest): IdempotencyKey => {
    const { accountId, actor } = sessionOf(request).ctx;
    if (actor.userId === null) throw new Error('A request has no user.');
    return { accountId, userId: actor.userId, operation, key, fingerprint };
  };
  return {
    authorise: ({ request }, scope) => requireScope(sessionOf(request).ctx, scope as Scope),
    begin: async (keyed) => {
      const key = keyOf(keyed);
      const claim = await refusingOutages(async () => await keptAnswers.claim(key));
      if (claim.kind === 'First') keyed.request.commitMarks = keptAnswers.marksOf(key);
      return claim;
    },
    finish: async (keyed, answer) => await keptAnswers.conclude(keyOf(keyed), answer),
  };
}

/** A session can only be used for GET requests. Other methods need a token. */
async function authenticate({ callers, authenticator }: RestOptions, request: FastifyRequest): Promise<Session> {
  return await refusingOutages(async () =>
    request.method === 'GET'
      ? await callers.authenticate(request, request.id)
      : await authenticator.authenticate(request.headers.authorization, request.id),
  );
}

type Called = Parameters<Parameters<typeof registerFacade>[1]['execute']>[0];

async function execute(
  { compiled, services, measure }: RestOptions,
  { document, variables, operationName }: Called,
  { ctx }: Session,
): Promise<ExecutionResult> {
  const contextValue = graphQLContext(ctx, services, 'rest_api');
  const startedAt = performance.now();
  const result = await inOperationSpan(async () => {
    const executed = await compiled.execute({ document, variables, operationName, contextValue });
    measure({ name: operationName, errors: executed.errors ?? [], startedAt });
    return executed;
  });
  return result.errors ? { ...result, errors: result.errors.map(withDomainError) } : result;
}
