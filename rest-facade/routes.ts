// Registers the compiled operations as routes of Fastify, and applies the rules that all operations share.
import { hash, randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  HTTPMethods,
} from 'fastify';
import { inProgressRetrySec } from '../src/domain/errors.ts';
import { type Operation, groupByRoute, totalCountHeader, type ErrorBody } from './compile.ts';
import { failureAnswer, failureOf } from './errors.ts';
import {
  type Claim,
  type Idempotency,
  type KeyedRequest,
  fingerprintOf,
  isStorable,
  acceptsKey,
} from './idempotency.ts';
import { linkHeader } from './link.ts';
import { acceptsProblem, problemOf, problemType } from './problem.ts';
import { BadRequest, type Reading, readRequest, takesQueryObject } from './request.ts';
import { type Answer, type Answerer, answererOf } from './response.ts';

export interface Execution {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string;
  readonly request: FastifyRequest;
}

export interface FacadeOptions {
  readonly operations: readonly Operation[];
  readonly execute: (execution: Execution) => Promise<ExecutionResult>;
  /**
   * Runs before a body is read, so that an unauthenticated client learns nothing about the body's faults. Throws
   * UNAUTHENTICATED.
   */
  readonly authenticate?: (request: FastifyRequest) => Promise<void>;
  readonly idempotency?: Idempotency;
}

const prefix = '/api';
// All methods that Node supports except CONNECT, because a request with CONNECT never reaches a route.
const methods = METHODS.filter((method) => method !== 'CONNECT') as HTTPMethods[];

/** Options for `Fastify({...serverOptions})`. A plugin cannot set these options for the whole server. */
export const serverOptions = {
  genReqId: ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  },
  routerOptions: { maxParamLength: 1024 },
  frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id);
    send(reply, failureAnswer({ status: error.statusCode ?? 400, code: 'BAD_INPUT', message: error.message }));
  },
} satisfies FastifyServerOptions;

export function registerFacade(fastify: FastifyInstance, options: FacadeOptions): void {
  // All methods are registered. For an unknown method Fastify would find no route, but the facade must answer 405 with
  // the methods of the path.
  for (const method of methods) if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  fastify.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      scope.addHook('onRequest', (request, reply, done) => {
        reply.header('x-request-id', request.id);
        done();
      });
      scope.setErrorHandler((error, request, reply) => send(reply, answerFor(error, request)));
      scope.setNotFoundHandler((_request, reply) =>
        send(reply, failureAnswer({ status: 404, code: 'NOT_FOUND', message: 'Not found' })),
      );
      registerRoutes(scope, options);
    },
    { prefix },
  );
}

function registerRoutes(scope: FastifyInstance, options: FacadeOptions): void {
  const groups = groupByRoute(options.operations);
  const answerers = new Map(options.operations.map((operation) => [operation, answererOf(operation)]));
  const allowed = new Map<string, PathMethods>();
  for (const [route, group] of groups) {
    const [{ method, path, errorBody }] = group as readonly [Operation];
    const served: HTTPMethods[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    allowed.set(path, { served: [...(allowed.get(path)?.served ?? []), ...served], errorBody });
    for (const url of urlsOf(path)) {
      scope.route({
        method: served,
        url,
        exposeHeadRoute: false,
        config: { errorBody },
        bodyLimit: Math.max(...group.map(({ bodyLimit }) => bodyLimit)),
        onRequest: async (request) => options.authenticate?.(request),
        handler: async (request, reply) => {
          const answer = await answerRequest({ route, group, answerers, options }, request);
          return send(reply, method === 'GET' ? revalidated(answer, request, reply) : answer);
        },
      });
    }
  }
  for (const [path, of] of allowed) refuseOtherMethods(scope, path, of);
}

interface PathMethods {
  readonly served: readonly HTTPMethods[];
  readonly errorBody: ErrorBody;
}

function refuseOtherMethods(scope: FastifyInstance, path: string, { served, errorBody }: PathMethods): void {
  const refused = {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'Method not allowed',
    headers: { allow: served.join(', ') },
  };
  for (const url of urlsOf(path)) {
    scope.route({
      method: methods.filter((method) => !served.includes(method)),
      url,
      exposeHeadRoute: false,
      // The refusal is sent before the body is read.
      onRequest: async (_request, reply) => send(reply, failureAnswer(refused, errorBody)),
      handler: async () => undefined,
    });
  }
}

function urlsOf(path: string): string[] {
  if (!path.startsWith(`${prefix}/`)) throw new Error(`${path} does not lie under ${prefix}`);
  const url = path.slice(prefix.length).replace(/\{(\w+)\}/g, ':$1');
  return [url, `${url}/`];
}

interface Route {
  readonly route: string;
  readonly group: readonly Operation[];
  readonly answerers: ReadonlyMap<Operation, Answerer>;
  readonly options: FacadeOptions;
}

async function answerRequest(route: Route, request: FastifyRequest): Promise<Answer> {
  try {
    const bytes = Buffer.isBuffer(request.body) ? request.body : await readQueryBody(route.group, request);
    const sent = {
      params: request.params as Record<string, unknown>,
      query: request.query as Record<string, unknown>,
      body: readBody(route.group, request, bytes),
    };
    const reading = readRequest(route.group, sent);
    return await answerOnce(route, { request, bytes, reading });
  } catch (error) {
    return answerFor(error, request);
  }
}

async function execute(route: Route, request: FastifyRequest, { operation, variables }: Reading): Promise<Answer> {
  const { document, name: operationName } = operation;
  const result = await route.options.execute({ document, variables, operationName, request });
  const answer = (route.answerers.get(operation) as Answerer)(result);
  if (!operation.link) return answer;
  const total = Number(answer.headers[totalCountHeader.toLowerCase()]);
  const link = linkHeader(operation, { url: request.url, variables, total });
  return { ...answer, headers: { ...answer.headers, link } };
}

interface RouteRequest {
  readonly request: FastifyRequest;
  readonly bytes: Buffer | undefined;
  readonly reading: Reading;
}

async function answerOnce(of: Route, { request, bytes, reading }: RouteRequest): Promise<Answer> {
  const { idempotency } = of.options;
  const work = async (): Promise<Answer> => await execute(of, request, reading);
  const key = request.headers['idempotency-key'];
  if (!idempotency || key === undefined || !acceptsKey(request)) return work();
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new BadRequest('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  const fingerprint = fingerprintOf(request.method, request.url, bytes);
  const keyed: KeyedRequest = { key, operation: of.route, fingerprint, request };
  const { scope } = reading.operation;
  if (scope !== undefined) idempotency.authorise(keyed, scope);
  const claim = await idempotency.begin(keyed);
  if (claim.kind !== 'First') return answerOfClaim(claim, errorBodyOf(request));
  let kept: Answer | undefined;
  try {
    const answer = await work().catch((error: unknown) => answerFor(error, request));
    kept = isStorable(answer) ? answer : undefined;
    return answer;
  } finally {
    // The operation has been carried out, so a failure to store the answer must not become an error of the request.
    await idempotency.finish(keyed, kept).catch((error: unknown) => request.log.error(error));
  }
}

const keyReused = 'Idempotency-Key was used with another request';
const inProgress = 'The first request with this Idempotency-Key is still in progress';
const retryLater = { 'retry-after': String(inProgressRetrySec) };
const answerLost = 'The first request with this Idempotency-Key has changed something, but its answer was lost';

function answerOfClaim(claim: Exclude<Claim, { kind: 'First' }>, form: ErrorBody | undefined): Answer {
  switch (claim.kind) {
    case 'Answered':
      return { ...claim.answer, headers: { ...claim.answer.headers, 'idempotent-replayed': 'true' } };
    case 'OtherFingerprint':
      return failureAnswer({ status: 422, code: 'KEY_REUSED', message: keyReused }, form);
    case 'InProgress':
      return failureAnswer({ status: 409, code: 'CONFLICT', message: inProgress, headers: retryLater }, form);
    case 'AnswerLost':
      return failureAnswer({ status: 409, code: 'CONFLICT', message: answerLost }, form);
  }
}

/**
 * Reads the body of a GET, which may contain an object of the query. Fastify could only read the bodies of all GETs of
 * the server, and would then refuse requests that have a JSON content type and no body.
 */
async function readQueryBody(group: readonly Operation[], { raw }: FastifyRequest): Promise<Buffer | undefined> {
  const [operation] = group as readonly [Operation];
  const { method, bodyLimit } = operation;
  const { 'content-length': length, 'transfer-encoding': coding } = raw.headers;
  if (method !== 'GET' || !takesQueryObject(operation)) return undefined;
  if (coding === undefined && Number(length ?? 0) === 0) return undefined;
  if (Number(length ?? 0) > bodyLimit) throw new TooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  return await new Promise((resolve, reject) => {
    raw.on('data', (part: Buffer) => {
      size += part.length;
      if (size > bodyLimit) reject(new TooLarge());
      else parts.push(part);
    });
    raw.on('end', () => resolve(Buffer.concat(parts)));
    raw.on('error', reject);
  });
}

function readBody(group: readonly Operation[], request: FastifyRequest, bytes: Buffer | undefined): unknown {
  const [first] = group as readonly [Operation];
  if (!bytes || bytes.length === 0 || (first.method === 'GET' && !takesQueryObject(first))) return undefined;
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isFit = first.consumes ? !type.startsWith('multipart/') : /^application\/(?:[\w.-]+\+)?json$/.test(type);
  if (!isFit) {
    const contentType = first.consumes ?? 'application/json';
    throw new UnfitType(`Content-Type must be ${contentType}`);
  }
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new UnfitType('Content-Encoding must be identity: send the body uncompressed');
  const text = decode(bytes);
  return first.consumes ? text : parseJson(text);
}

/** An error with the code and status of Fastify's own error. */
class TooLarge extends Error {
  readonly code = 'FST_ERR_CTP_BODY_TOO_LARGE';
  readonly statusCode = 413;
  constructor() {
    super('Request body is too large');
  }
}

class UnfitType extends Error {
  readonly code = 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
  readonly statusCode = 415;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadRequest('The body must be UTF-8 text');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest('The body is not valid JSON');
  }
}

function answerFor(error: unknown, request: FastifyRequest): Answer {
  const failure = failureOf(error, request.id, (internal) => request.log.error(internal));
  return failureAnswer(failure, errorBodyOf(request));
}

// The form of errors is read from the route, because a failure may happen before an operation is chosen. Undefined: the
// request has no route of the facade.
function errorBodyOf({ routeOptions }: FastifyRequest): ErrorBody | undefined {
  return (routeOptions.config as { readonly errorBody?: ErrorBody } | undefined)?.errorBody;
}

/** Returns the answer to a GET, after setting its ETag, or 304 if the client has the answer already. */
function revalidated(answer: Answer, request: FastifyRequest, reply: FastifyReply): Answer {
  if (answer.status !== 200) return answer;
  const etag = `"${hash('sha1', JSON.stringify(answer.headers) + answer.body, 'base64url')}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag) || known.includes('*') ? { status: 304, headers: {}, body: '' } : answer;
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, headers, body } = answer.status < 400 ? answer : asAccepted(answer, reply.request);
  reply.code(status).headers(headers);
  return status === 304 ? reply.send() : reply.send(body);
}

// Turns an error into problem details if the client accepts them. This happens only when the answer is sent, because
// answers are stored under an Idempotency-Key in the documented form.
function asAccepted(answer: Answer, { headers: { accept } }: FastifyRequest): Answer {
  if (!acceptsProblem(accept)) return answer;
  const body = JSON.stringify(problemOf(answer.status, JSON.parse(answer.body) as Record<string, unknown>));
  return { ...answer, headers: { ...answer.headers, 'content-type': `${problemType}; charset=utf-8` }, body };
}
