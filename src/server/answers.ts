// The common parts of all answers of the server: headers, the form of a refusal, and the limit on wrong tokens.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptsProblem, problemOf, problemType } from '../../rest-facade/index.ts';
import { DomainError, errorCodes, type ErrorCode } from '../domain/errors.ts';
import { outageAsRefusal } from '../platform/outage.ts';
import type { Callers } from './callers.ts';
import type { Dashboard } from './dashboard.ts';
import type { WrongTokens } from './wrong-tokens.ts';

/** How soon another server may take a request that arrived while this server was closing, in seconds. */
const closingRetrySec = 1;
const closingSentence = 'The server is stopping. Try again.';

export function describeEveryAnswer(fastify: FastifyInstance, dashboard: Dashboard): void {
  let isClosing = false;
  fastify.addHook('preClose', async () => void (isClosing = true));
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (!isClosing) return done();
    reply.header('retry-after', String(closingRetrySec)).header('connection', 'close');
    if (request.routeOptions.url !== '/graphql') return void sendError(reply, 503, closingSentence);
    const code: ErrorCode = 'UNAVAILABLE';
    const extensions = { code, retryAfterSec: closingRetrySec };
    void reply.code(errorCodes[code]).send({ errors: [{ message: closingSentence, extensions }] });
  });
  fastify.setNotFoundHandler(async (request, reply) =>
    (await dashboard.answerUnknown(request, reply)) ? reply : await sendError(reply, 404, 'Not found'),
  );
  fastify.setErrorHandler(async (thrown: Error & { readonly statusCode?: number }, request, reply) => {
    const error = outageAsRefusal(thrown) as typeof thrown;
    const status = error instanceof DomainError ? errorCodes[error.code] : (error.statusCode ?? 500);
    if (status < 500) return await sendError(reply, status, error.message);
    request.log.error({ err: thrown, requestId: request.id }, 'a request failed');
    if (!(error instanceof DomainError) || error.retryAfterSec === undefined)
      return await sendFailure(reply, status, { error: 'Internal server error', request_id: request.id });
    reply.header('retry-after', String(error.retryAfterSec));
    return await sendError(reply, status, error.message);
  });
}

/**
 * Refuses addresses that guess tokens. Wrong tokens are counted by answers with the status 401, which REST, GraphQL,
 * git and pages all send.
 */
export function refuseTokenGuessing(
  fastify: FastifyInstance,
  { wrongTokens, callers }: { readonly wrongTokens: WrongTokens; readonly callers: Callers },
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { ip, headers } = request;
    const secret = wrongTokens.isSuspect(ip) ? callers.secretOf(headers) : null;
    const seconds = secret === null ? null : wrongTokens.refusedForSec(ip, secret);
    if (seconds === null) return done();
    reply.header('retry-after', String(seconds)).header('connection', 'close');
    void sendError(reply, 429, `Too many wrong tokens came from ${ip}: try again in ${seconds} s.`);
  });
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    if (statusCode === 401 && callers.secretOf(request.headers) !== null) wrongTokens.recordWrong(request.ip);
    done();
  });
}

async function sendError(reply: FastifyReply, status: number, error: string): Promise<unknown> {
  return await sendFailure(reply, status, { error });
}

export async function sendFailure(
  reply: FastifyReply,
  status: number,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  reply.code(status);
  if (!acceptsProblem(reply.request.headers.accept)) return await reply.send(body);
  return await reply.type(`${problemType}; charset=utf-8`).send(JSON.stringify(problemOf(status, body)));
}
