// Makes the responses of operations, from the shapes of the selections and from the errors that every operation has.
import type { ErrorBody } from '../compile.ts';
import { acceptsKey } from '../idempotency.ts';
import { problemType } from '../problem.ts';
import { takesQueryObject } from '../request.ts';
import { type Examples, type Group, type Json, examplesOf } from './examples.ts';
import { Components, type JsonSchema, schemaOfShape } from './json-schema.ts';

const integer = { type: 'integer' };
/** Headers of the document's components. A header without `required` is sent under the condition in its description. */
export const responseHeaders = {
  RequestId: {
    description: 'The id of the request in logs. It is the id that the client sent, or a new one.',
    required: true,
    schema: { type: 'string' },
  },
  ContentTypeOptions: {
    description: 'Clients must not guess another content type.',
    required: true,
    schema: { type: 'string', enum: ['nosniff'] },
  },
  RateLimitLimit: { description: 'How many requests an account may send at once.', required: true, schema: integer },
  RateLimitRemaining: {
    description: 'How many requests the account may still send at this moment.',
    required: true,
    schema: integer,
  },
  RateLimitReset: {
    description: 'In how many seconds the account may send `RateLimit-Limit` requests at once again.',
    required: true,
    schema: integer,
  },
  ETag: {
    description: 'Identifies the answer. It changes if the answer changes.',
    required: true,
    schema: { type: 'string' },
  },
  CacheControl: {
    description: 'Only the caller may cache the answer, and must revalidate it.',
    required: true,
    schema: { type: 'string' },
  },
  Link: { description: 'Links to the first, previous, next and last page (RFC 8288).', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: 'Sent if this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: { description: 'How many seconds to wait before the next request.', required: true, schema: integer },
  Authenticate: { description: 'How to sign in.', required: true, schema: { type: 'string', enum: ['Bearer'] } },
};

type HeaderName = keyof typeof responseHeaders;

function headersNamed(names: Readonly<Record<string, HeaderName>>): Json {
  return Object.fromEntries(
    Object.entries(names).map(([header, name]) => [header, { $ref: `#/components/headers/${name}` }]),
  );
}

const ofEveryAnswer = headersNamed({ 'X-Request-Id': 'RequestId', 'X-Content-Type-Options': 'ContentTypeOptions' });
// Without a valid token there is no account whose requests could be counted.
const ofEveryAccount = {
  ...ofEveryAnswer,
  ...headersNamed({
    'RateLimit-Limit': 'RateLimitLimit',
    'RateLimit-Remaining': 'RateLimitRemaining',
    'RateLimit-Reset': 'RateLimitReset',
  }),
};
/**
 * The headers about rate limits, for answers that may be sent before the account is known. So these headers are
 * optional.
 */
const ofKnownAccounts: Json = {
  'RateLimit-Limit': { ...responseHeaders.RateLimitLimit, required: false },
  'RateLimit-Remaining': { ...responseHeaders.RateLimitRemaining, required: false },
  'RateLimit-Reset': { ...responseHeaders.RateLimitReset, required: false },
};
const ofReads = { ...ofEveryAccount, ...headersNamed({ ETag: 'ETag', 'Cache-Control': 'CacheControl' }) };
const ofKeptAnswers = { ...ofEveryAccount, ...headersNamed({ 'Idempotent-Replayed': 'IdempotentReplayed' }) };

const text = { type: 'string' };
export const errorSchemas = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: { description: 'What is wrong, naming the field where there is one.', ...text } },
  },
  ErrorWithMessage: {
    type: 'object',
    required: ['error', 'message'],
    properties: {
      error: { description: 'The kind of error, for programs.', ...text },
      message: { description: 'What is wrong, naming the field where there is one.', ...text },
    },
  },
  Problem: {
    description: 'The documented error as problem details (RFC 9457). It also has the members of the documented error.',
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { description: '`about:blank`: the status says what kind of problem it is.', ...text },
      title: { description: 'The name of the status.', ...text },
      status: { description: 'The status of the answer.', ...integer },
      detail: { description: 'What is wrong, naming the field where there is one.', ...text },
      error: { description: 'The member `error` of the documented error.', ...text },
    },
  },
  InternalError: {
    type: 'object',
    required: ['error', 'request_id'],
    properties: {
      error: text,
      request_id: { description: 'The id of the request, for the operator of the service.', ...text },
    },
  },
};

interface ErrorKind {
  readonly name: string;
  readonly description: string;
  readonly example: Json;
  /** Default: the headers of an answer that is stored under an `Idempotency-Key`. */
  readonly headers?: Json;
}

const errorKinds: Readonly<Record<number, ErrorKind>> = {
  400: {
    name: 'BadRequest',
    description: 'The input is wrong. Nothing was changed.',
    example: { error: 'org is required' },
  },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing, unknown, expired or revoked.',
    example: { error: 'Unauthorized' },
    headers: { ...ofEveryAnswer, ...headersNamed({ 'WWW-Authenticate': 'Authenticate' }) },
  },
  402: {
    name: 'BudgetSpent',
    description: 'The budget of the runbook is spent.',
    example: { error: 'The budget of this runbook is spent' },
  },
  403: {
    name: 'Forbidden',
    description: 'The token or its user may not do this.',
    example: { error: 'This needs the scope queue:write' },
    headers: ofEveryAccount,
  },
  404: {
    name: 'NotFound',
    description: 'The account has nothing with the given name or number.',
    example: { error: 'Repository not found' },
  },
  409: {
    name: 'Conflict',
    description: 'The request conflicts with the present state.',
    example: { error: 'The landing has started' },
  },
  410: {
    name: 'Gone',
    description: 'The request names something that existed and is deleted.',
    example: { error: 'The cursor is too old' },
  },
  413: {
    name: 'TooLarge',
    description: 'The body is too large for the operation.',
    example: { error: 'Request body is too large' },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The operation does not accept a body of this content type, or a compressed one.',
    example: { error: 'Content-Type must be application/json' },
  },
  422: {
    name: 'KeyReused',
    description: 'The `Idempotency-Key` was sent with another request before. Nothing was changed.',
    example: { error: 'Idempotency-Key was used with another request' },
    headers: ofEveryAccount,
  },
  429: {
    name: 'TooManyRequests',
    description: 'The account sent too many requests.',
    example: { error: 'Too many requests' },
    headers: { ...ofEveryAccount, ...headersNamed({ 'Retry-After': 'RetryAfter' }) },
  },
  500: {
    name: 'InternalServerError',
    description: 'A failure of the service.',
    example: { error: 'Internal server error', request_id: '0f3c0f5e-6f0b-4f44-9d7e-6b0c6a7d2f11' },
  },
  503: {
    name: 'Unavailable',
    description: 'The database or the code host does not answer. Try again.',
    example: { error: 'Interlock is unavailable for a moment. Try again.' },
    headers: { ...ofEveryAnswer, ...ofKnownAccounts, ...headersNamed({ 'Retry-After': 'RetryAfter' }) },
  },
};

/** The shared responses of the document. */
export function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(errorKinds).map(([status, kind]) => [
      kind.name,
      {
        description: kind.description,
        headers: kind.headers ?? ofKeptAnswers,
        content: failureContent({ schema: errorSchema(Number(status)), example: kind.example }),
      },
    ]),
  );
}

function errorSchema(status: number, form: ErrorBody = 'ERROR'): JsonSchema {
  const name = form === 'ERROR_AND_MESSAGE' ? 'ErrorWithMessage' : status === 500 ? 'InternalError' : 'Error';
  return { $ref: `#/components/schemas/${name}` };
}

export function responsesOf(group: Group, components: Components, examples: Examples): Json {
  const schemas = ownSchemas(group, components);
  const responses: Record<string, Json> = {};
  if (group[0].method === 'GET')
    responses[304] = { description: 'The answer is still the one in `If-None-Match`.', headers: ofReads };
  for (const [status, each] of schemas)
    if (status < 400) responses[status] = success(group, status, { schemas: [...each.values()], examples });
  for (const status of errorStatuses(group)) {
    responses[status] = failure(group, status, { own: [...(schemas.get(status)?.values() ?? [])], examples });
  }
  return responses;
}

/**
 * Returns the schemas by status. Equal schemas are listed once, because documents of the same path often have equal
 * answers.
 */
function ownSchemas(group: Group, components: Components): Map<number, Map<string, JsonSchema>> {
  const found = new Map<number, Map<string, JsonSchema>>();
  const add = (status: number, schema: JsonSchema): void => {
    found.set(status, (found.get(status) ?? new Map<string, JsonSchema>()).set(JSON.stringify(schema), schema));
  };
  for (const {
    result: { shape },
    status,
  } of group) {
    if (shape.kind !== 'Choice') add(status, schemaOfShape({ ...shape, nullable: false }, components));
    else
      for (const branch of shape.branches) {
        add(branch.status ?? status, schemaOfShape(branch.shape, components, branch.typeName));
      }
  }
  return found;
}

/** The summary of an operation, or of all operations of a path. */
export function summaryOf(group: Group): string {
  const [first] = group;
  return group.length === 1 ? first.summary : `Act on ${first.tag.toLowerCase()}`;
}

function success(
  group: Group,
  status: number,
  { schemas, examples }: { readonly schemas: readonly JsonSchema[]; readonly examples: Examples },
): Json {
  const [first] = group;
  const headers: Record<string, unknown> = {
    ...(first.method === 'GET' ? ofReads : acceptsKey(first) ? ofKeptAnswers : ofEveryAccount),
    ...(first.link && headersNamed({ Link: 'Link' })),
  };
  for (const { name, shape, description } of first.headers) {
    headers[name] = { ...(description ? { description } : {}), schema: schemaOfShape(shape, new Components()) };
  }
  const content = { schema: oneOf(schemas), ...examplesOf(group, status, examples) };
  return { description: summaryOf(group), headers, content: { [first.produces ?? 'application/json']: content } };
}

function failure(
  group: Group,
  status: number,
  { own, examples }: { readonly own: readonly JsonSchema[]; readonly examples: Examples },
): Json {
  const kind = errorKinds[status];
  if (!kind) throw new Error(`No error is described for ${status}`);
  const given = examplesOf(group, status, examples);
  const { errorBody } = group[0];
  if (own.length === 0 && Object.keys(given).length === 0 && errorBody === 'ERROR')
    return { $ref: `#/components/responses/${kind.name}` };
  const content = { schema: oneOf([...own, errorSchema(status, errorBody)]), ...given };
  return {
    description: kind.description,
    headers: kind.headers ?? ofKeptAnswers,
    content: failureContent(content),
  };
}

// The client chooses the media type by `Accept`.
function failureContent(documented: Json): Json {
  return { 'application/json': documented, [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } };
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only, ...others] = schemas;
  return only && others.length === 0 ? only : { oneOf: schemas };
}

function errorStatuses(group: Group): number[] {
  const has = (...places: string[]): boolean =>
    group.some(({ inputs }) => inputs.some(({ place }) => places.includes(place.in)));
  const [first] = group;
  const isWrite = first.kind === 'mutation';
  const mayBeAbsent =
    isWrite ||
    group.some(({ result, root }) =>
      result.steps.length > 0
        ? result.steps.some(({ nullable }) => nullable)
        : root.fields.some(({ shape }) => shape.nullable),
    );
  const statuses = [
    ...group.flatMap(({ errors }) => errors),
    ...(has('path', 'query', 'body') ? [400] : []),
    401,
    403,
    ...(mayBeAbsent ? [404] : []),
    ...(acceptsKey(first) ? [409, 422] : []),
    ...(has('body') || takesQueryObject(first) ? [413, 415] : []),
    429,
    500,
    503,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}
