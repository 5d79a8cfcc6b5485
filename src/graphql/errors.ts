// The only code that turns errors into GraphQL errors. Each GraphQL error has a code of the closed list, and the field
// at fault. An internal error shows only the id of the request, by which the error is found in the log.
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import { HostUnavailable } from '../hosts/port.ts';
import { outageAsRefusal } from '../platform/outage.ts';

// Codes of the protocol of persisted queries. They are kept, because clients expect exactly these codes. All other
// errors that GraphQL itself finds in a request become BAD_INPUT.
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
  /** Whether the server is at fault. Then the error is logged with its cause. */
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

/**
 * Gives a code of the closed list to an error that Apollo found before it read the document, such as a body without a
 * query. `reportError` does so for all other errors.
 */
export function withListedCode(error: GraphQLFormattedError): GraphQLFormattedError {
  const code = String(error.extensions?.['code']);
  const listed = requestCodes.has(code) ? 'BAD_INPUT' : code === 'INTERNAL_SERVER_ERROR' ? 'INTERNAL' : code;
  return { ...error, extensions: { ...error.extensions, code: listed } };
}

/** Like `reportError`, for REST. Internal errors are left unchanged, because REST reports them itself. */
export function withDomainError(error: GraphQLError): GraphQLError {
  const cause = originalOf(error);
  return cause instanceof DomainError ? withExtensions(error, cause.message, extensionsOf(cause)) : error;
}

/** A GraphQL error with the HTTP status of its code, for requests that are refused before their execution. */
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

/**
 * The original error. An error about a code host or a database that is down is replaced by a general refusal, because
 * its message is not for callers.
 */
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
