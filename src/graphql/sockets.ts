// Subscriptions over graphql-ws at /graphql. socket-connections.ts signs sockets in, socket-transport.ts speaks the
// protocol, and socket-limits.ts has the limits.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { execute, getOperationAST, GraphQLError, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import { makeServer, type ConnectionInitMessage, type ServerOptions, type SubscribePayload } from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { DomainError } from '../domain/errors.ts';
import { labelOfOperation } from '../domain/metrics/bounded.ts';
import { addressOf, networkOf } from '../server/client-address.ts';
import type { RateLimiter } from '../server/rate-limit.ts';
import type { CompiledQueries } from './compiled.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from './context.ts';
import { createDocuments, type Documents } from './documents.ts';
import { refusal, reportError } from './errors.ts';
import { pointsOf } from './limits.ts';
import { inOperationSpan, nameOperationSpan } from './measuring.ts';
import { createSharedLoaders } from './shared-loaders.ts';
import { createConnections, type Connection, type Connections, type ConnectionsOptions } from './socket-connections.ts';
import { createOpenCounts, type SocketLimits } from './socket-limits.ts';
import { createNextSender, speakProtocol, type Closing, type SocketExtra } from './socket-transport.ts';
import { createSubscribe, SubscriptionResults } from './subscription-execution.ts';

export interface SocketOptions extends ConnectionsOptions {
  readonly server: Server;
  /** Whether another handler answers an upgrade request. */
  readonly isElsewhere: (request: IncomingMessage) => boolean;
  readonly schema: GraphQLSchema;
  readonly compiled: CompiledQueries;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  /** The operations that have their name in spans. */
  readonly known: ReadonlySet<string>;
}

const path = '/graphql';
const subprotocol = 'graphql-transport-ws';
const maxBytes = 1024 * 1024;
const maxIdCharacters = 256;
const longId: Closing = [4400, `The id of an operation may have at most ${maxIdCharacters} characters`];
const goingAway: Closing = [1001, 'The server is stopping'];
const tooSlow = 4429;
/** How long clients may take to answer the close frame when the server stops. */
const answeredWithinMs = 2_000;

export interface Sockets {
  close(): Promise<void>;
}

export function serveSockets(options: SocketOptions): Sockets {
  const { limits, log } = options;
  const connections = createConnections(options);
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: maxBytes,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  });
  const protocol = makeServer<ConnectionInitMessage['payload'], SocketExtra>(protocolOf(options, connections));
  const stopListening = listenForUpgrades(options, ({ request, stream, head, onSignedIn }) => {
    wss.handleUpgrade(request, stream, head, (socket) =>
      speakProtocol({ socket, request, onSignedIn }, { protocol, limits, log }),
    );
  });

  return {
    close: async () => {
      connections.stop();
      stopListening();
      for (const socket of wss.clients) connections.close(socket, goingAway);
      // A client that does not answer the close frame would hold the stop up.
      const late = setTimeout(() => {
        for (const socket of wss.clients) socket.terminate();
      }, answeredWithinMs);
      await new Promise<void>((resolve) => wss.close(() => resolve()));
      clearTimeout(late);
    },
  };
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
  /** Called when the socket has signed in. The socket then no longer counts as one of its address. */
  readonly onSignedIn: () => void;
}

/**
 * Passes each request that becomes a socket to `accept`. Leaves requests alone that another handler answers, and
 * refuses all others. Returns a function that stops listening.
 */
function listenForUpgrades(
  { server, isElsewhere, limits, trustsProxy }: SocketOptions,
  accept: (upgrade: Upgrade) => void,
): () => void {
  const openOfAddress = createOpenCounts(limits.ofAddress);
  const listen = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (isElsewhere(request)) return;
    if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== path) return refuse(stream, '404 Not Found');
    const address = networkOf(addressOf(request, trustsProxy));
    if (!openOfAddress.add(address)) return refuse(stream, '429 Too Many Requests', 'Retry-After: 1\r\n');
    let isCounted = true;
    const onSignedIn = (): void => {
      if (isCounted) openOfAddress.remove(address);
      isCounted = false;
    };
    stream.once('close', onSignedIn);
    accept({ request, stream, head, onSignedIn });
  };
  server.on('upgrade', listen);
  return () => void server.off('upgrade', listen);
}

/** Answers a request without upgrading it. The stream is destroyed, because a client might never close its side. */
function refuse(stream: Duplex, status: string, headers = ''): void {
  stream.on('error', () => stream.destroy());
  stream.once('finish', () => stream.destroy());
  stream.end(`HTTP/1.1 ${status}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`);
}

type Protocol = ServerOptions<ConnectionInitMessage['payload'], SocketExtra>;

function protocolOf(options: SocketOptions, connections: Connections): Protocol {
  const { limits, log } = options;
  const slow = new Map<WebSocket, string>();
  const shared = { documents: createDocuments(options.schema), loadersOf: createSharedLoaders() };
  const subscribe = createSubscribe(options.compiled);
  const report = (error: GraphQLError, requestId: string): GraphQLError => {
    const reported = reportError(error, requestId);
    if (reported.isServerFault)
      log.error({ err: error.originalError ?? error, requestId }, 'a GraphQL subscription failed');
    return reported.error;
  };
  return {
    connectionInitWaitTimeout: limits.signInWithinMs,
    // The span of a subscription ends when the subscription has begun.
    execute: async (args) => await inSpanOf(args, options.known, async () => await execute(args)),
    subscribe: async (args) => await inSpanOf(args, options.known, async () => await subscribe(args)),
    onConnect: async (context) => await connections.connect(context),
    onSubscribe: ({ extra }, id, payload) => {
      if (id.length > maxIdCharacters) connections.close(extra.socket, longId);
      const connection = connections.of(extra.socket);
      if (connection === undefined) return [refusal(new DomainError('UNAUTHENTICATED', 'Unauthorized'))];
      if (connection.running.size >= limits.operations) return [refusal(tooManyOperations(limits))];
      const prepared = prepare({ ...options, ...shared }, connection, payload);
      if (!Array.isArray(prepared)) connection.running.set(payload, null);
      return prepared;
    },
    onOperation: ({ extra }, id, payload, { contextValue }, result) => {
      if (!(result instanceof SubscriptionResults)) return;
      result.sendBy(createNextSender(extra.socket, id));
      const { actor } = contextValue as GraphQLContext;
      connections.begin(extra.socket, { payload, actor, results: result });
    },
    onNext: ({ extra }, _id, _payload, { contextValue }, result) => {
      if (!result.errors) return undefined;
      const { requestId } = contextValue as GraphQLContext;
      const errors = result.errors.map((error) => report(error, requestId));
      const tooSlowError = errors.find(({ extensions }) => extensions['code'] === 'RATE_LIMITED');
      if (tooSlowError) slow.set(extra.socket, tooSlowError.message);
      return { ...result, errors };
    },
    onError: (_ctx, _id, _payload, errors) => errors.map((error) => report(error, options.newRequestId())),
    // A subscriber that was too slow has received an error with its cursor. Its socket is closed, and events that
    // were not sent are dropped.
    onComplete: ({ extra }, _id, payload) => {
      connections.of(extra.socket)?.running.delete(payload);
      const message = slow.get(extra.socket);
      if (message !== undefined) connections.close(extra.socket, [tooSlow, message]);
    },
    onDisconnect: ({ extra }) => void slow.delete(extra.socket),
  };
}

async function inSpanOf<T>(
  { document, operationName }: ExecutionArgs,
  known: ReadonlySet<string>,
  work: () => Promise<T>,
): Promise<T> {
  return await inOperationSpan(async () => {
    const name = getOperationAST(document, operationName)?.name?.value ?? null;
    nameOperationSpan(labelOfOperation(name, known));
    return await work();
  });
}

function tooManyOperations({ operations }: SocketLimits): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `At most ${operations} operations may run at once on a socket. End one first, or open another socket.`,
  );
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
  { session }: Connection,
  payload: SubscribePayload,
): ExecutionArgs | readonly GraphQLError[] {
  try {
    // One point is taken before the document is read, because documents that are refused take CPU too.
    rateLimiter.take(session.ctx.accountId, 1);
    const document = documents.read(payload.query);
    if (!('definitions' in document)) return document;
    const operation = getOperationAST(document, payload.operationName);
    if (!operation) return [new GraphQLError('Name the operation to execute in operationName')];
    const variableValues = payload.variables ?? {};
    const points = pointsOf({ schema, document, operation, variables: variableValues });
    rateLimiter.take(session.ctx.accountId, points - 1);
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
