// Subscriptions over graphql-ws at /graphql. A socket is authenticated once, at its connection, and closed as soon as
// its token ends: 4401 if the token expired or was never valid, 4403 if it was revoked.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getOperationAST, GraphQLError, parse, validate, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import type { ConnectionInitMessage, Context as SocketContext, SubscribePayload } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { isOutage } from '../platform/outage.ts';
import type { RateLimiter } from '../server/rate-limit.ts';
import { presentedToken, type WrongTokens } from '../server/wrong-tokens.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from './context.ts';
import { refusal, tellError } from './errors.ts';
import { mostTokens, pointsOf } from './limits.ts';

export interface SocketOptions {
  readonly server: Server;
  /** Upgrade requests that another handler answers. */
  readonly isElsewhere: (request: IncomingMessage) => boolean;
  readonly schema: GraphQLSchema;
  readonly authenticator: Authenticator;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly wrongTokens: WrongTokens;
  readonly log: Logger;
  readonly newRequestId: () => string;
}

interface Connection {
  readonly socket: WebSocket;
  /** Read again when the permissions of a token have changed. */
  session: Session;
  readonly authorization: string;
  /** Ends the socket when its token ends. */
  expiry: NodeJS.Timeout | undefined;
}

type Socket = SocketContext<ConnectionInitMessage['payload'], Extra>;

const path = '/graphql';
const protocol = 'graphql-transport-ws';
const mostBytes = 1024 * 1024;
const longestTimer = 2 ** 31 - 1;
const closings = {
  unauthorized: [4401, 'Unauthorized'],
  guessing: [4429, 'Too many wrong tokens'],
  revoked: [4403, 'The token was revoked'],
  // Clients reconnect after this code, but not after an internal error.
  unavailable: [1013, 'Interlock is unavailable for a moment. Try again.'],
  goingAway: [1001, 'The server is stopping'],
} as const;
const tooSlow = 4429;

export interface Sockets {
  readonly open: () => number;
  close(): Promise<void>;
}

export function serveSockets(options: SocketOptions): Sockets {
  const { server, authenticator, log } = options;
  const connections = new Map<WebSocket, Connection>();
  const slow = new Map<WebSocket, string>();
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: mostBytes,
    handleProtocols: (offered) => offered.has(protocol) && protocol,
  });

  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (options.isElsewhere(request)) return;
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== path)
      return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    wss.handleUpgrade(request, stream, head, (socket) => wss.emit('connection', socket, request));
  };
  server.on('upgrade', upgrade);

  function close(socket: WebSocket, [code, reason]: readonly [number, string]): void {
    clearTimeout(connections.get(socket)?.expiry);
    connections.delete(socket);
    socket.close(code, reason);
  }

  function watchExpiry(connection: Connection): void {
    const { expiresAt, ctx } = connection.session;
    if (expiresAt === null) return;
    const left = expiresAt.getTime() - ctx.clock().getTime();
    connection.expiry = setTimeout(
      () => {
        if (left <= longestTimer) close(connection.socket, closings.unauthorized);
        else watchExpiry(connection);
      },
      Math.min(Math.max(left, 0), longestTimer),
    );
    connection.expiry.unref();
  }

  async function connect({ connectionParams, extra }: Socket): Promise<void> {
    const authorization = authorizationOf(connectionParams);
    const address = extra.request.socket.remoteAddress ?? '';
    if (options.wrongTokens.refusedForSec(address, presentedToken(authorization ?? '')) !== null)
      return close(extra.socket, closings.guessing);
    try {
      const session = await authenticator.authenticate(authorization, options.newRequestId());
      const connection: Connection = {
        socket: extra.socket,
        session,
        authorization: authorization ?? '',
        expiry: undefined,
      };
      connections.set(extra.socket, connection);
      watchExpiry(connection);
    } catch (error) {
      if (isOutage(error)) return close(extra.socket, closings.unavailable);
      if (!(error instanceof DomainError)) throw error;
      if (authorization !== undefined) options.wrongTokens.noteWrong(address);
      close(extra.socket, closings.unauthorized);
    }
  }

  // Some revocations may have been missed, or a user's role changed: every token is checked again.
  async function lookAgain(): Promise<void> {
    for (const connection of [...connections.values()]) {
      try {
        connection.session = await authenticator.authenticate(connection.authorization, options.newRequestId());
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        close(connection.socket, closings.revoked);
      }
    }
  }

  const stopHearing = authenticator.onRevoked((tokenId) => {
    if (tokenId === null)
      return void lookAgain().catch((error: unknown) =>
        log.error({ err: error }, 'open sockets could not be checked for revoked tokens'),
      );
    for (const { socket, session } of [...connections.values()])
      if (session.ctx.actor.tokenId === tokenId) close(socket, closings.revoked);
  });

  const stopServing = useServer(
    {
      connectionInitWaitTimeout: 10_000,
      onConnect: connect,
      onSubscribe: ({ extra }, _id, payload) => prepare(options, connections.get(extra.socket)?.session, payload),
      onNext: ({ extra }, _id, _payload, { contextValue }, result) => {
        if (!result.errors) return undefined;
        const { requestId } = contextValue as GraphQLContext;
        const errors = result.errors.map((error) => {
          const reported = tellError(error, requestId);
          if (reported.isOurs)
            log.error({ err: error.originalError ?? error, requestId }, 'a GraphQL subscription failed');
          if (reported.error.extensions['code'] === 'RATE_LIMITED') slow.set(extra.socket, reported.error.message);
          return reported.error;
        });
        return { ...result, errors };
      },
      onError: (_ctx, _id, _payload, errors) => errors.map((error) => tellError(error, '').error),
      // A slow reader got the cursor for its next subscription. The rest of its queue is dropped.
      onComplete: ({ extra }) => {
        const message = slow.get(extra.socket);
        if (message !== undefined) close(extra.socket, [tooSlow, message.slice(0, 120)]);
      },
      onDisconnect: ({ extra }) => {
        clearTimeout(connections.get(extra.socket)?.expiry);
        connections.delete(extra.socket);
        slow.delete(extra.socket);
      },
    },
    wss,
  );

  return {
    open: () => connections.size,
    close: async () => {
      stopHearing();
      server.off('upgrade', upgrade);
      for (const socket of wss.clients) close(socket, closings.goingAway);
      await stopServing.dispose();
    },
  };
}

function authorizationOf(params: ConnectionInitMessage['payload']): string | undefined {
  const value = params?.['Authorization'] ?? params?.['authorization'];
  return typeof value === 'string' ? value : undefined;
}

function prepare(
  { schema, services, rateLimiter, newRequestId }: SocketOptions,
  session: Session | undefined,
  payload: SubscribePayload,
): ExecutionArgs | readonly GraphQLError[] {
  if (!session) return [refusal(new DomainError('UNAUTHENTICATED', 'Unauthorized'))];
  try {
    const document = parse(payload.query, { maxTokens: mostTokens });
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    const operation = getOperationAST(document, payload.operationName);
    if (!operation) return [new GraphQLError('Name the operation to execute in operationName')];
    const variableValues = payload.variables ?? {};
    rateLimiter.take(session.ctx.accountId, pointsOf({ schema, document, operation, variables: variableValues }));
    const contextValue = graphQLContext({ ...session.ctx, requestId: newRequestId() }, services, 'graphql_api');
    return { schema, document, operationName: payload.operationName ?? null, variableValues, contextValue };
  } catch (error) {
    if (error instanceof DomainError) return [refusal(error)];
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}
