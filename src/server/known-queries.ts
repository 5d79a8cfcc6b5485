// Answers frequent queries over HTTP without Apollo Server, whose pipeline of plugins costs more than many queries. Only
// a request whose answer by Apollo Server would be the same is answered here: it asks a query whose text Apollo Server
// has validated before, which is compiled, and which meets no error. Everything else is left to Apollo Server.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import type { CompiledQueries } from '../graphql/compiled.ts';
import { graphQLContext, type RequestServices } from '../graphql/context.ts';
import type { KnownQueries, KnownQuery } from '../graphql/known-queries.ts';
import { pointsOf } from '../graphql/limits.ts';
import type { MeasureOperation } from '../graphql/measuring.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface KnownQueryOptions {
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly known: KnownQueries;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly measure: MeasureOperation;
}

/** An admitted request. */
export interface Admitted {
  readonly ctx: Context;
  /** The points of the rate limit that the request has taken. */
  pointsTaken: number;
}

type Variables = Readonly<Record<string, unknown>>;

interface PlainRequest extends KnownQuery {
  readonly variables: Variables;
}

/** The body of the answer. Null: Apollo Server must answer. It must not take the points again that were taken here. */
export async function answerKnownQuery(
  { schema, compiled, known, services, rateLimiter, measure }: KnownQueryOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | null> {
  const startedAt = performance.now();
  const { admitted } = request;
  const asked = admitted === null ? null : readRequest(request, known);
  if (admitted === null || asked === null) return null;
  const { document, operation, variables } = asked;
  const { ctx } = admitted;
  let headers: ReadonlyMap<string, string>;
  try {
    const points = pointsOf({ schema, document, operation, variables });
    headers = rateLimiter.take(ctx.accountId, points - admitted.pointsTaken);
    admitted.pointsTaken = points;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
  const contextValue = graphQLContext(ctx, services, 'graphql_api');
  const operationName = operation.name?.value ?? null;
  const result = await compiled.run({ document, variables, operationName, contextValue });
  if (result === null) return null;
  measure({ name: operationName, errors: [], startedAt });
  for (const [name, value] of headers) reply.header(name, value);
  reply.header('content-type', 'application/json; charset=utf-8');
  return `${JSON.stringify({ data: result.data ?? null })}\n`;
}

const jsonTypes: ReadonlySet<string | undefined> = new Set(['application/json', 'application/json; charset=utf-8']);
/** Values of `Accept` for which Apollo Server answers with `application/json`. It compares other values with more types. */
const usualAccepts: ReadonlySet<string | undefined> = new Set([undefined, '*/*', 'application/json']);

/** Null: the request does not ask a known query, or Apollo Server must check what it contains. */
function readRequest({ method, headers, body }: FastifyRequest, known: KnownQueries): PlainRequest | null {
  if (method !== 'POST' || !jsonTypes.has(headers['content-type']) || !usualAccepts.has(headers.accept)) return null;
  if (!isObject(body) || typeof body['query'] !== 'string' || (body['extensions'] ?? null) !== null) return null;
  const query = known.find(body['query']);
  if (query === undefined) return null;
  const { variables = null, operationName = null } = body;
  if (operationName !== null && operationName !== query.operation.name?.value) return null;
  if (variables !== null && !isObject(variables)) return null;
  return { ...query, variables: variables ?? {} };
}

function isObject(value: unknown): value is Variables {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
