// Subscriptions over graphql-ws at /graphql. A socket is authenticated once, when it connects: by the token in the
// connection parameters, or else by the session in the cookie of the request. The socket is closed as soon as the token
// or the session ends. The code is 4401 if the token or the session expired or was never valid. The code is 4403 if it
// was revoked, or if a page of another site opened the socket.
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getOperationAST, GraphQLError, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import type { ConnectionInitMessage, Context as SocketContext, SubscribePayload } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { isOutage } from '../platform/outage.ts';
import type { Callers } from '../server/callers.ts';
import { addressOf, type TrustsProxy } from '../server/client-address.ts';
import type { RateLimiter } from '../server/rate-limit.ts';
import type { WrongTokens } from '../server/wrong-tokens.ts';
import type { CompiledQueries } from './compiled.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from './context.ts';
import { createDocuments, type Documents } from './documents.ts';
import { refusal, reportError } from './errors.ts';
import { pointsOf } from './limits.ts';
import { createSharedLoaders } from './shared-loaders.ts';
import { createSubscribe } from './subscription-execution.ts';

export interface SocketOptions {
  readonly server: Server;
  /** Whether another handler answers an upgrade request. */
  readonly isElsewhere: (request: IncomingMessage) => boolean;
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly wrongTokens: WrongTokens;
  readonly trustsProxy: TrustsProxy | null;
  readonly log: Logger;
  readonly newRequestId: () => string;
}

interface Connection {
  readonly socket: WebSocket;
  /** Replaced when the permissions of the token may have changed. */
  session: Session;
  /** Authenticates again, without extending the session of a browser. */
  readonly signInAgain: () => Promise<Session>;
  /** The timer that closes the socket when its token or its session expires. */
  expiry: NodeJS.Timeout | undefined;
}

type Socket = SocketContext<ConnectionInitMessage['payload'], Extra>;

const path = '/graphql';
const protocol = 'graphql-transport-ws';
const maxBytes = 1024 * 1024;
const longestTimer = 2 ** 31 - 1;
/** How often it is checked whether people of GitHub and of the OpenID provider still have their access. */
const peopleEveryMs = 5 * 60_000;
const closings = {
  unauthorized: [4401, 'Unauthorized'],
  guessing: [4429, 'Too many wrong tokens'],
  revoked: [4403, 'The token was revoked'],
  ended: [4403, 'The session has ended'],
  foreign: [4403, 'A session is for pages of this service'],
  // Clients reconnect after the code 1013, but not after that of an internal error.
  unavailable: [1013, 'Interlock is unavailable for a moment. Try again.'],
  goingAway: [1001, 'The server is stopping'],
} as const;
const tooSlow = 4429;

/** Whether the caller's role comes from GitHub or the OpenID provider, which do not notify Interlock of changes. */
function hasExternalRole({ ctx: { actor } }: Session): boolean {
  return actor.personAtGitHub !== null || actor.hasOidcRole;
}

export interface Sockets {
  readonly open: () => number;
  close(): Promise<void>;
}

export function serveSockets(options: SocketOptions): Sockets {
  const { server, log } = options;
  const connections = createConnections(options);
  const slow = new Map<WebSocket, string>();
  const shared = { documents: createDocuments(options.schema), loadersOf: createSharedLoaders() };
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: maxBytes,
    handleProtocols: (offered) => offered.has(protocol) && protocol,
  });

  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (options.isElsewhere(request)) return;
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== path)
      return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    wss.handleUpgrade(request, stream, head, (socket) => wss.emit('connection', socket, request));
  };
  server.on('upgrade', upgrade);

  const stopServing = useServer(
    {
      connectionInitWaitTimeout: 10_000,
      subscribe: createSubscribe(options.compiled),
      onConnect: async (context) => await connections.connect(context),
      onSubscribe: ({ extra }, _id, payload) =>
        prepare({ ...options, ...shared }, connections.sessionOf(extra.socket), payload),
      onNext: ({ extra }, _id, _payload, { contextValue }, result) => {
        if (!result.errors) return undefined;
        const { requestId } = contextValue as GraphQLContext;
        const errors = result.errors.map((error) => {
          const reported = reportError(error, requestId);
          if (reported.isServerFault)
            log.error({ err: error.originalError ?? error, requestId }, 'a GraphQL subscription failed');
          if (reported.error.extensions['code'] === 'RATE_LIMITED') slow.set(extra.socket, reported.error.message);
          return reported.error;
        });
        return { ...result, errors };
      },
      onError: (_ctx, _id, _payload, errors) => errors.map((error) => reportError(error, '').error),
      // A subscriber that was too slow has received an error with its cursor. Its socket is closed, and events that
      // were not sent are dropped.
      onComplete: ({ extra }) => {
        const message = slow.get(extra.socket);
        if (message !== undefined) connections.close(extra.socket, [tooSlow, message.slice(0, 120)]);
      },
      onDisconnect: ({ extra }) => {
        connections.forget(extra.socket);
        slow.delete(extra.socket);
      },
    },
    wss,
  );

  return {
    open: () => connections.count(),
    close: async () => {
      connections.stop();
      server.off('upgrade', upgrade);
      for (const socket of wss.clients) connections.close(socket, closings.goingAway);
      await stopServing.dispose();
    },
  };
}

interface Connections {
  readonly count: () => number;
  /** Undefined: the socket has not signed in, or was closed. */
  sessionOf(socket: WebSocket): Session | undefined;
  /** Signs the socket in, or closes it. */
  connect(context: Socket): Promise<void>;
  close(socket: WebSocket, closing: readonly [number, string]): void;
  forget(socket: WebSocket): void;
  /** Ends the checks of the sockets. */
  stop(): void;
}

/** The sockets that have signed in. A socket is closed when its token or its session ends. */
function createConnections({
  authenticator,
  callers,
  log,
  trustsProxy,
  wrongTokens,
  newRequestId,
}: SocketOptions): Connections {
  const connections = new Map<WebSocket, Connection>();

  function forget(socket: WebSocket): void {
    clearTimeout(connections.get(socket)?.expiry);
    connections.delete(socket);
  }

  function close(socket: WebSocket, [code, reason]: readonly [number, string]): void {
    forget(socket);
    socket.close(code, reason);
  }

  function watchExpiry(connection: Connection): void {
    const { expiresAt, ctx } = connection.session;
    if (expiresAt === null) return;
    const left = expiresAt.getTime() - ctx.clock().getTime();
    connection.expiry = setTimeout(
      () => {
        if (left > longestTimer) watchExpiry(connection);
        else if (ctx.actor.sessionId === null) close(connection.socket, closings.unauthorized);
        else
          void recheck(connection, closings.unauthorized).catch(() => close(connection.socket, closings.unavailable));
      },
      Math.min(Math.max(left, 0), longestTimer),
    );
    connection.expiry.unref();
  }

  async function connect({ connectionParams, extra }: Socket): Promise<void> {
    const headers = headersOf(extra.request, connectionParams);
    const secret = callers.secretOf(headers);
    const address = addressOf(extra.request, trustsProxy);
    if (wrongTokens.refusedForSec(address, secret ?? '') !== null) return close(extra.socket, closings.guessing);
    try {
      const request = { method: 'GET', headers, isUpgrade: true };
      const session = await callers.authenticate(request, newRequestId());
      const cookie = callers.sessionOf(headers);
      const signInAgain = async (): Promise<Session> =>
        cookie === null
          ? await authenticator.authenticate(headers.authorization, newRequestId())
          : await authenticator.authenticateSession(cookie, newRequestId(), { isUse: false });
      const connection: Connection = { socket: extra.socket, session, signInAgain, expiry: undefined };
      connections.set(extra.socket, connection);
      watchExpiry(connection);
    } catch (error) {
      if (isOutage(error)) return close(extra.socket, closings.unavailable);
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'FORBIDDEN') return close(extra.socket, closings.foreign);
      if (secret !== null) wrongTokens.recordWrong(address);
      close(extra.socket, closings.unauthorized);
    }
  }

  async function recheck(connection: Connection, closing: readonly [number, string]): Promise<void> {
    try {
      connection.session = await connection.signInAgain();
      clearTimeout(connection.expiry);
      if (connections.has(connection.socket)) watchExpiry(connection);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      close(connection.socket, closing);
    }
  }

  const failed = (error: unknown): void =>
    log.error({ err: error }, 'open sockets could not be checked for revoked tokens');

  // Notifications of revocations may have been missed, or a user's role has changed. Therefore every socket is checked
  // again.
  async function recheckAll(): Promise<void> {
    for (const connection of [...connections.values()]) await recheck(connection, endOf(connection));
  }

  const peopleTimer = setInterval(() => {
    for (const connection of [...connections.values()])
      if (hasExternalRole(connection.session)) void recheck(connection, endOf(connection)).catch(failed);
  }, peopleEveryMs);
  peopleTimer.unref();

  const stopListening = authenticator.onRevoked((isEnded) => {
    if (isEnded === null) return void recheckAll().catch(failed);
    for (const connection of [...connections.values()])
      if (isEnded(connection.session.ctx.actor)) close(connection.socket, endOf(connection));
  });

  return {
    count: () => connections.size,
    sessionOf: (socket) => connections.get(socket)?.session,
    connect,
    close,
    forget,
    stop: () => {
      clearInterval(peopleTimer);
      stopListening();
    },
  };
}

function endOf({ session }: Connection): readonly [number, string] {
  return session.ctx.actor.sessionId === null ? closings.revoked : closings.ended;
}

/** The headers of the upgrade request, with the Authorization of the connection parameters instead of its own. */
function headersOf(request: IncomingMessage, params: ConnectionInitMessage['payload']): IncomingHttpHeaders {
  const { authorization: _, ...headers } = request.headers;
  const value = params?.['Authorization'] ?? params?.['authorization'];
  return typeof value === 'string' ? { ...headers, authorization: value } : headers;
}

function prepare(
  {
    schema,
    services,
    rateLimiter,
    newRequestId,
    documents,
    loadersOf,
  }: SocketOptions & { readonly documents: Documents; readonly loadersOf: ReturnType<typeof createSharedLoaders> },
  session: Session | undefined,
  payload: SubscribePayload,
): ExecutionArgs | readonly GraphQLError[] {
  if (!session) return [refusal(new DomainError('UNAUTHENTICATED', 'Unauthorized'))];
  try {
    const document = documents.read(payload.query);
    if (!('definitions' in document)) return document;
    const operation = getOperationAST(document, payload.operationName);
    if (!operation) return [new GraphQLError('Name the operation to execute in operationName')];
    const variableValues = payload.variables ?? {};
    rateLimiter.take(session.ctx.accountId, pointsOf({ schema, document, operation, variables: variableValues }));
    const contextValue = {
      ...graphQLContext({ ...session.ctx, requestId: newRequestId() }, services, 'graphql_api'),
      loaders: loadersOf(session.ctx),
    };
    return { schema, document, operationName: payload.operationName ?? null, variableValues, contextValue };
  } catch (error) {
    if (error instanceof DomainError) return [refusal(error)];
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}
