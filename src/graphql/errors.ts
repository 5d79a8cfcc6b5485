// One place where what went wrong becomes what GraphQL says: a code of the closed list, the field at fault, and for
// our own mistakes nothing but an id to find the log by.
import { GraphQLError } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import { HostUnavailable } from '../hosts/port.ts';

// What GraphQL's own machinery finds wrong with a request is bad input like any other. Persisted queries are a
// protocol with clients, who wait for these very codes.
const protocolCodes: ReadonlySet<string> = new Set(['PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED']);
const requestCodes: ReadonlySet<string> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

export interface Told {
  readonly error: GraphQLError;
  /** Ours: it is logged with its cause. */
  readonly isInternal: boolean;
}

export function tellError(error: GraphQLError, requestId: string): Told {
  const cause = originalOf(error);
  if (cause instanceof DomainError)
    return { error: withExtensions(error, cause.message, extensionsOf(cause)), isInternal: cause.code === 'INTERNAL' };
  const given = error.extensions['code'];
  const code = typeof given === 'string' ? given : '';
  const { http: _, ...extensions } = error.extensions;
  if (protocolCodes.has(code) || isCallersCode(code))
    return { error: withExtensions(error, error.message, extensions), isInternal: false };
  if (requestCodes.has(code) || (cause === undefined && code === '')) {
    return { error: withExtensions(error, error.message, { code: 'BAD_INPUT' }), isInternal: false };
  }
  return { error: withExtensions(error, 'Internal server error', { code: 'INTERNAL', requestId }), isInternal: true };
}

/** The same for REST, which tells what is internal itself. */
export function withHostTold(error: GraphQLError): GraphQLError {
  const cause = originalOf(error);
  return cause instanceof DomainError ? withExtensions(error, cause.message, extensionsOf(cause)) : error;
}

/** As an error GraphQL passes on, with the HTTP status of its code: for what is refused before anything is executed. */
export function refusal(error: DomainError, headers: ReadonlyMap<string, string> = new Map()): GraphQLError {
  return new GraphQLError(error.message, {
    extensions: { ...extensionsOf(error), http: { status: errorCodes[error.code], headers } },
  });
}

function isCallersCode(code: string): boolean {
  return Object.hasOwn(errorCodes, code) && code !== 'INTERNAL';
}

/** An adapter's own words about a host that is away stay inside: every user reads the same refusal. */
function originalOf(error: GraphQLError): unknown {
  let cause: unknown = error.originalError;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause instanceof HostUnavailable
    ? new DomainError('HOST_UNAVAILABLE', 'The code host could not be reached. Try again.')
    : cause;
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  return { code: error.code, ...(error.field !== undefined && { field: error.field }) };
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
