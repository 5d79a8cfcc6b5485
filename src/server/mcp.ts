// The Model Context Protocol over streamable HTTP, at /mcp. Each POST is independent: its token is checked, and an MCP
// server is made for it. No state is kept between requests, so that any server process can answer any request.
import type { IncomingHttpHeaders } from 'node:http';
import { HeaderMap, type ApolloServer } from '@apollo/server';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError, print, subscribe, type GraphQLSchema } from 'graphql';
import { isOwnOrigin } from '../domain/accounts/sign-in.ts';
import { DomainError } from '../domain/errors.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from '../graphql/context.ts';
import { reportError } from '../graphql/errors.ts';
import { inOperationSpan } from '../graphql/measuring.ts';
import type { Api, ToolRefusal } from '../mcp/index.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { readVersion } from '../platform/project-root.ts';
import { RateLimited, type RateLimiter } from './rate-limit.ts';

export interface McpOptions {
  readonly schema: GraphQLSchema;
  readonly apollo: ApolloServer<GraphQLContext>;
  readonly authenticator: Authenticator;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly publicUrl: string;
}

const path = '/mcp';

export function serveMcp(fastify: FastifyInstance, options: McpOptions): void {
  const version = readVersion();
  const stopping = new AbortController();
  fastify.addHook('preClose', async () => stopping.abort());
  const sessions = new WeakMap<FastifyRequest, Session>();
  // The token is checked before the body is read.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    void sessions.set(request, await admit(options, request, reply));
  fastify.post(path, { onRequest }, async (request, reply) => {
    const session = sessions.get(request);
    if (session === undefined) throw new Error('A request was not admitted.');
    // The SDK is loaded at the first request, because loading takes 0.1 s of CPU and many installations have no such
    // clients.
    const { createMcpServer, ToolRefusal } = await import('../mcp/index.ts');
    const { WebStandardStreamableHTTPServerTransport } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer(apiOf(options, { session, headers: request.headers, Refusal: ToolRefusal }), {
      version,
      stopping: stopping.signal,
      report: (error) => {
        request.log.error({ err: error, requestId: request.id }, 'a tool failed');
        return request.id;
      },
    });
    // Aborts the request's running tools when the client disconnects.
    reply.raw.once('close', () => void server.close());
    await server.connect(transport);
    return await reply.send(await transport.handleRequest(asWebRequest(request), { parsedBody: request.body }));
  });
  // The protocol's GET (a stream) and DELETE (the end of a session) do not apply, because there are no sessions.
  fastify.route({
    method: ['GET', 'DELETE'],
    url: path,
    exposeHeadRoute: false,
    handler: async (_request, reply) =>
      await reply.code(405).header('allow', 'POST').send({ error: 'Method not allowed: send each message by POST.' }),
  });
}

/**
 * Authenticates a request. Only a token is accepted, and no session cookie, so that a hostile page in a browser cannot
 * call tools.
 */
async function admit(
  { authenticator, rateLimiter, publicUrl }: McpOptions,
  { headers, id }: FastifyRequest,
  reply: FastifyReply,
): Promise<Session> {
  const { host, origin } = headers;
  if (origin !== undefined && !isOwnOrigin({ publicUrl, host }, origin))
    throw new DomainError(
      'FORBIDDEN',
      `The Origin of this request must be ${new URL(publicUrl).origin} or absent, not ${origin}.`,
    );
  try {
    const session = await authenticator.authenticate(headers.authorization, id);
    reply.headers(Object.fromEntries(rateLimiter.take(session.ctx.accountId, 1)));
    return session;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (error instanceof RateLimited) reply.headers(Object.fromEntries(error.headers));
    throw error;
  }
}

/** The request without its body, which Fastify has already read and parsed. */
function asWebRequest({ method, headers }: FastifyRequest): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' ? [] : [[name, String(value)]],
  );
  return new Request(`http://interlock.invalid${path}`, { method, headers: pairs });
}

interface Caller {
  readonly session: Session;
  readonly headers: IncomingHttpHeaders;
  readonly Refusal: typeof ToolRefusal;
}

/** The GraphQL API for tools, with the same limits, idempotency keys and log as /graphql. */
function apiOf({ apollo, schema, services, ...options }: McpOptions, { session, headers, Refusal }: Caller): Api {
  let { ctx } = session;
  const contextOf = (): GraphQLContext => graphQLContext(ctx, services, 'graphql_api');
  const refusalOf = ({ message, extensions = {} }: Refused): ToolRefusal => {
    const { code, field, requestId } = extensions;
    const where = typeof requestId === 'string' ? ` (request ${requestId})` : '';
    return new Refusal(String(code), `${message}${where}`, typeof field === 'string' ? argumentOf(field) : null);
  };
  return {
    async ask(document, variables, idempotencyKey) {
      const request = {
        query: print(document),
        variables: variables as Record<string, unknown>,
        http: {
          method: 'POST',
          headers: new HeaderMap(idempotencyKey === undefined ? [] : [['idempotency-key', idempotencyKey]]),
          search: '',
          body: '',
        },
      };
      const { body } = await inOperationSpan(
        async () => await apollo.executeOperation(request, { contextValue: contextOf() }),
      );
      if (body.kind !== 'single') throw new Error('An operation of a tool was answered in parts.');
      const { data, errors } = body.singleResult;
      const [first] = errors ?? [];
      if (first !== undefined) throw refusalOf(first);
      return data as Answered<typeof document>;
    },
    async nextChange(document, variables, signal) {
      try {
        options.rateLimiter.take(ctx.accountId, 1);
        const variableValues = variables as Record<string, unknown>;
        const changes = await subscribe({ schema, document, variableValues, contextValue: contextOf() });
        if (!(Symbol.asyncIterator in changes)) throw changes.errors?.[0] ?? new Error('A subscription did not begin.');
        await firstOf(changes, signal);
        // The token may have expired or been revoked in the meantime.
        ({ ctx } = await options.authenticator.authenticate(headers.authorization, ctx.requestId));
      } catch (error) {
        const { error: reported } = reportError(
          error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error }),
          ctx.requestId,
        );
        throw refusalOf(reported);
      }
    },
  };
}

async function firstOf(changes: AsyncGenerator, signal: AbortSignal): Promise<void> {
  const stop = (): void => void changes.return(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (!signal.aborted) await changes.next();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

interface Refused {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

type Answered<Document> = Document extends TypedDocumentNode<infer Data, never> ? Data : never;

/** Translates a field of the API, such as `input.skipLineReason`, to the argument of a tool, `skip_line_reason`. */
function argumentOf(field: string): string {
  return field.replace(/^input\./, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
