// The sockets that have signed in, and the operations that run on them. A socket is authenticated once, when it
// connects: by the token in the connection parameters, or else by the session in the cookie of the request. The socket
// is closed as soon as the token or the session ends. The code is 4401 if the token or the session expired or was never
// valid. The code is 4403 if the token or the session was revoked, or if a page of another site opened the socket. The
// code is 4429 if the account has too many sockets, or if the address has sent too many wrong tokens.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ConnectionInitMessage, Context as SocketContext, SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { DomainError } from '../domain/errors.ts';
import type { Authenticator, Session } from '../modules/accounts/index.ts';
import { isOutage } from '../platform/outage.ts';
import type { Callers } from '../server/callers.ts';
import { addressOf, type TrustsProxy } from '../server/client-address.ts';
import type { WrongTokens } from '../server/wrong-tokens.ts';
import { createOpenCounts, type SocketLimits } from './socket-limits.ts';
import { closeSocket, type Closing, type SocketExtra } from './socket-transport.ts';

export interface ConnectionsOptions {
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly wrongTokens: WrongTokens;
  readonly trustsProxy: TrustsProxy | null;
  readonly limits: SocketLimits;
  readonly log: Logger;
  readonly newRequestId: () => string;
}

export interface Connection {
  readonly socket: WebSocket;
  /** Replaced when the permissions of the token may have changed. */
  session: Session;
  /**
   * The operations that run, by the message that began them. A client may use an id again before the first operation
   * with this id has ended, so the id is not the key. The value is the stream of a subscription. Null: the operation is
   * a query or a mutation, or a subscription that has not begun yet.
   */
  readonly running: Map<SubscribePayload, AsyncGenerator | null>;
  /** Authenticates again, without extending the session of a browser. */
  readonly signInAgain: () => Promise<Session>;
  /** The timer that closes the socket when its token or its session expires. */
  expiry: NodeJS.Timeout | undefined;
}

type Socket = SocketContext<ConnectionInitMessage['payload'], SocketExtra>;

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
} as const satisfies Record<string, Closing>;

/** Whether the caller's role comes from GitHub or the OpenID provider, which do not notify Interlock of changes. */
function hasExternalRole({ ctx: { actor } }: Session): boolean {
  return actor.personAtGitHub !== null || actor.hasOidcRole;
}

export interface Connections {
  /** Undefined: the socket has not signed in, or was closed. */
  of(socket: WebSocket): Connection | undefined;
  /** Signs the socket in, or closes it. */
  connect(context: Socket): Promise<void>;
  /** Closes the socket, and ends its operations without waiting for the client. */
  close(socket: WebSocket, closing: Closing): void;
  /** Ends the checks of the sockets. */
  stop(): void;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { authenticator, callers, limits, log, trustsProxy, wrongTokens, newRequestId } = options;
  const connections = new Map<WebSocket, Connection>();
  const openOfAccount = createOpenCounts(limits.ofAccount);

  function forget(socket: WebSocket): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    clearTimeout(connection.expiry);
    connections.delete(socket);
    for (const sent of connection.running.values()) void sent?.return(undefined);
  }

  function close(socket: WebSocket, closing: Closing): void {
    forget(socket);
    closeSocket(socket, closing);
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

  /** Counts the socket until it is closed. False: the account has too many sockets, or the socket is closed already. */
  function countForAccount({ socket, onSignedIn }: SocketExtra, accountId: string): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (!openOfAccount.add(accountId)) {
      close(socket, tooManySockets(limits));
      return false;
    }
    socket.once('close', () => {
      openOfAccount.remove(accountId);
      forget(socket);
    });
    onSignedIn();
    return true;
  }

  async function connect({ connectionParams, extra }: Socket): Promise<void> {
    const headers = headersOf(extra.request, connectionParams);
    const secret = callers.secretOf(headers);
    const address = addressOf(extra.request, trustsProxy);
    if (wrongTokens.refusedForSec(address, secret ?? '') !== null) return close(extra.socket, closings.guessing);
    try {
      const request = { method: 'GET', headers, isUpgrade: true };
      const session = await callers.authenticate(request, newRequestId());
      if (!countForAccount(extra, session.ctx.accountId)) return;
      const cookie = callers.sessionOf(headers);
      const signInAgain = async (): Promise<Session> =>
        cookie === null
          ? await authenticator.authenticate(headers.authorization, newRequestId())
          : await authenticator.authenticateSession(cookie, newRequestId(), { isUse: false });
      const connection: Connection = {
        socket: extra.socket,
        session,
        running: new Map(),
        signInAgain,
        expiry: undefined,
      };
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

  async function recheck(connection: Connection, closing: Closing): Promise<void> {
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
    of: (socket) => connections.get(socket),
    connect,
    close,
    stop: () => {
      clearInterval(peopleTimer);
      stopListening();
    },
  };
}

function tooManySockets({ ofAccount }: SocketLimits): Closing {
  return [4429, `Too many sockets of this account are open at this server: at most ${ofAccount}`];
}

function endOf({ session }: Connection): Closing {
  return session.ctx.actor.sessionId === null ? closings.revoked : closings.ended;
}

/** The headers of the upgrade request, with the Authorization of the connection parameters instead of its own. */
function headersOf(request: IncomingMessage, params: ConnectionInitMessage['payload']): IncomingHttpHeaders {
  const { authorization: _, ...headers } = request.headers;
  const value = params?.['Authorization'] ?? params?.['authorization'];
  return typeof value === 'string' ? { ...headers, authorization: value } : headers;
}
