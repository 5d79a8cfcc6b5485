// The only place that turns errors into GraphQL errors: a code of the closed list and the field at fault. An internal
// error shows only an id, by which the log finds it.
import { GraphQLError } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import { HostUnavailable } from '../hosts/port.ts';
import { outageAsRefusal } from '../platform/outage.ts';

// Errors that GraphQL itself finds in a request are bad input. Persisted queries are a protocol: clients expect exactly
// these codes.
const protocolCodes: ReadonlySet<string> = new Set(['PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED']);
const requestCodes: ReadonlySet<string> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

export interface ReportedError {
  readonly error: GraphQLError;
  /** The fault is not the caller's: it is logged with its cause. */
  readonly isServerFault: boolean;
}

export function reportError(error: GraphQLError, requestId: string): ReportedError {
  const cause = originalOf(error);
  if (cause instanceof DomainError)
    return {
      error: withExtensions(error, cause.message, extensionsOf(cause)),
      isServerFault: cause.code === 'INTERNAL' || cause.code === 'UNAVAILABLE',
    };
  const given = error.extensions['code'];
  const code = typeof given === 'string' ? given : '';
  const { http: _, ...extensions } = error.extensions;
  if (protocolCodes.has(code) || isCallersCode(code))
    return { error: withExtensions(error, error.message, extensions), isServerFault: false };
  if (requestCodes.has(code) || (cause === undefined && code === '')) {
    return { error: withExtensions(error, error.message, { code: 'BAD_INPUT' }), isServerFault: false };
  }
  return {
    error: withExtensions(error, 'Internal server error', { code: 'INTERNAL', requestId }),
    isServerFault: true,
  };
}

/** The same for REST, which reports internal errors itself. */
export function withDomainError(error: GraphQLError): GraphQLError {
  const cause = originalOf(error);
  return cause instanceof DomainError ? withExtensions(error, cause.message, extensionsOf(cause)) : error;
}

/** A GraphQL error with the HTTP status of its code, for refusals before the execution. */
export function refusal(error: DomainError, headers: ReadonlyMap<string, string> = new Map()): GraphQLError {
  const { code, retryAfterSec } = error;
  const all = new Map([
    ...headers,
    ...(retryAfterSec === undefined ? [] : ([['retry-after', String(retryAfterSec)]] as const)),
  ]);
  return new GraphQLError(error.message, {
    extensions: { ...extensionsOf(error), http: { status: errorCodes[code], headers: all } },
  });
}

function isCallersCode(code: string): boolean {
  return Object.hasOwn(errorCodes, code) && code !== 'INTERNAL';
}

/** Messages about a host or a database that is down stay inside. Callers get one general refusal. */
function originalOf(error: GraphQLError): unknown {
  let cause: unknown = error.originalError;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause instanceof HostUnavailable
    ? new DomainError('HOST_UNAVAILABLE', 'The code host could not be reached. Try again.')
    : outageAsRefusal(cause);
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  const { code, field, retryAfterSec } = error;
  return { code, ...(field !== undefined && { field }), ...(retryAfterSec !== undefined && { retryAfterSec }) };
}

function withExtensions(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    originalError: error.originalError ?? null,
    extensions,
  });
}
