// The sockets that have signed in, and the operations that run on them. A socket is authenticated once, when it
// connects: by the token in the connection parameters, or else by the session in the cookie of the request. The socket
// is closed as soon as the token or the session ends. The code is 4401 if the token or the session expired or was never
// valid. The code is 1013, after which clients connect again, if a subscription runs and the rights of its caller have
// changed. The code is 4403 if the token or the session was revoked, or if a page of another site opened the socket. The
// code is 4429 if the account has too many sockets, or if the address has sent too many wrong tokens.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ConnectionInitMessage, Context as SocketContext, SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { DomainError } from '../domain/errors.ts';
import { haveSameRights, type Authenticator, type Session } from '../modules/accounts/index.ts';
import { isOutage } from '../platform/outage.ts';
import type { Callers } from '../server/callers.ts';
import { addressOf, type TrustsProxy } from '../server/client-address.ts';
import type { WrongTokens } from '../server/wrong-tokens.ts';
import { createOpenCounts, type SocketLimits } from './socket-limits.ts';
import { closeSocket, type Closing, type SocketExtra } from './socket-transport.ts';
import type { SubscriptionResults } from './subscription-execution.ts';

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
  readonly running: Map<SubscribePayload, SubscriptionResults | null>;
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
  changed: [1013, 'Your permissions have changed. Connect again.'],
  unavailable: [1013, 'Interlock is unavailable for a moment. Try again.'],
} as const satisfies Record<string, Closing>;

/** Whether the caller's role comes from GitHub or the OpenID provider, which do not notify Interlock of changes. */
function hasExternalRole({ ctx: { actor } }: Session): boolean {
  return actor.personAtGitHub !== null || actor.hasOidcRole;
}

interface Begun {
  readonly payload: SubscribePayload;
  /** The caller, with the rights with which the subscription began. */
  readonly actor: Session['ctx']['actor'];
  readonly results: SubscriptionResults;
}

export interface Connections {
  /** Undefined: the socket has not signed in, or was closed. */
  of(socket: WebSocket): Connection | undefined;
  /** Signs the socket in, or closes it. */
  connect(context: Socket): Promise<void>;
  /**
   * Stores the stream of a subscription that has begun. Closes the socket if the rights of the caller have changed
   * meanwhile.
   */
  begin(socket: WebSocket, begun: Begun): void;
  /** Closes the socket, and ends its operations without waiting for the client. */
  close(socket: WebSocket, closing: Closing): void;
  /** Ends the checks of the sockets. */
  stop(): void;
}

export function createConnections(options: ConnectionsOptions): Connections {
  return new OpenConnections(options);
}

class OpenConnections implements Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Map<WebSocket, Connection>();
  readonly #openOfAccount: ReturnType<typeof createOpenCounts>;
  readonly #peopleTimer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  /** How many notifications of revocations have arrived. */
  #revocations = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#openOfAccount = createOpenCounts(options.limits.ofAccount);
    this.#peopleTimer = setInterval(() => this.#recheckPeople(), peopleEveryMs);
    this.#peopleTimer.unref();
    this.#stopListening = options.authenticator.onRevoked((isEnded) => {
      this.#revocations += 1;
      if (isEnded === null) this.#recheckAll();
      else this.#closeWhere(isEnded);
    });
  }

  of(socket: WebSocket): Connection | undefined {
    return this.#connections.get(socket);
  }

  // While a subscription begins, its socket may be closed, or the client may end the subscription. Nothing else stops
  // the subscription then, because its stream was not in `running` yet.
  begin(socket: WebSocket, { payload, actor, results }: Begun): void {
    const connection = this.#connections.get(socket);
    if (!connection?.running.has(payload)) return void results.return();
    connection.running.set(payload, results);
    this.#closeIfChanged(connection, actor);
  }

  async connect({ connectionParams, extra }: Socket): Promise<void> {
    const { callers, trustsProxy, wrongTokens } = this.#options;
    const headers = headersOf(extra.request, connectionParams);
    const secret = callers.secretOf(headers);
    const address = addressOf(extra.request, trustsProxy);
    if (wrongTokens.refusedForSec(address, secret ?? '') !== null) return this.close(extra.socket, closings.guessing);
    try {
      await this.#signIn(extra, headers);
    } catch (error) {
      if (isOutage(error)) return this.close(extra.socket, closings.unavailable);
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'FORBIDDEN') return this.close(extra.socket, closings.foreign);
      if (secret !== null) wrongTokens.recordWrong(address);
      this.close(extra.socket, closings.unauthorized);
    }
  }

  async #signIn(extra: SocketExtra, headers: IncomingHttpHeaders): Promise<void> {
    const { authenticator, callers, newRequestId } = this.#options;
    const revocationsBefore = this.#revocations;
    const session = await callers.authenticate({ method: 'GET', headers, isUpgrade: true }, newRequestId());
    if (!this.#countForAccount(extra, session.ctx.accountId)) return;
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
    this.#connections.set(extra.socket, connection);
    this.#watchExpiry(connection);
    // A revocation that arrived during the sign-in did not find this socket.
    if (this.#revocations !== revocationsBefore) await this.#recheck(connection, endOf(connection));
  }

  close(socket: WebSocket, closing: Closing): void {
    this.#forget(socket);
    closeSocket(socket, closing);
  }

  stop(): void {
    clearInterval(this.#peopleTimer);
    this.#stopListening();
  }

  #forget(socket: WebSocket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    clearTimeout(connection.expiry);
    this.#connections.delete(socket);
    for (const sent of connection.running.values()) void sent?.return();
  }

  #watchExpiry(connection: Connection): void {
    const { expiresAt, ctx } = connection.session;
    if (expiresAt === null) return;
    const left = expiresAt.getTime() - ctx.clock().getTime();
    connection.expiry = setTimeout(
      () => {
        if (left > longestTimer) this.#watchExpiry(connection);
        else if (ctx.actor.sessionId === null) this.close(connection.socket, closings.unauthorized);
        else
          void this.#recheck(connection, closings.unauthorized).catch(() =>
            this.close(connection.socket, closings.unavailable),
          );
      },
      Math.min(Math.max(left, 0), longestTimer),
    );
    connection.expiry.unref();
  }

  /** Counts the socket until it is closed. False: the account has too many sockets, or the socket is closed already. */
  #countForAccount({ socket, onSignedIn }: SocketExtra, accountId: string): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (!this.#openOfAccount.add(accountId)) {
      this.close(socket, tooManySockets(this.#options.limits));
      return false;
    }
    socket.once('close', () => {
      this.#openOfAccount.remove(accountId);
      this.#forget(socket);
    });
    onSignedIn();
    return true;
  }

  async #recheck(connection: Connection, closing: Closing): Promise<void> {
    const { actor } = connection.session.ctx;
    try {
      connection.session = await connection.signInAgain();
      clearTimeout(connection.expiry);
      if (this.#connections.has(connection.socket)) this.#watchExpiry(connection);
      this.#closeIfChanged(connection, actor);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.close(connection.socket, closing);
    }
  }

  /** A subscription keeps the rights with which it began, so the client must begin its subscriptions again. */
  #closeIfChanged({ socket, session, running }: Connection, before: Session['ctx']['actor']): void {
    const isFollowing = [...running.values()].some((results) => results !== null);
    if (isFollowing && !haveSameRights(before, session.ctx.actor)) this.close(socket, closings.changed);
  }

  // Notifications of revocations may have been missed, or a user's role has changed. Therefore every socket is checked
  // again. A socket that cannot be checked is closed, because nothing would check it later.
  #recheckAll(): void {
    const rechecking = async (): Promise<void> => {
      for (const connection of [...this.#connections.values()])
        await this.#recheck(connection, endOf(connection)).catch((error: unknown) => {
          this.#noteFailure(error);
          this.close(connection.socket, closings.unavailable);
        });
    };
    void rechecking();
  }

  #recheckPeople(): void {
    for (const connection of [...this.#connections.values()])
      if (hasExternalRole(connection.session))
        this.#recheck(connection, endOf(connection)).catch((error: unknown) => this.#noteFailure(error));
  }

  #closeWhere(isEnded: (actor: Session['ctx']['actor']) => boolean): void {
    for (const connection of [...this.#connections.values()])
      if (isEnded(connection.session.ctx.actor)) this.close(connection.socket, endOf(connection));
  }

  #noteFailure(error: unknown): void {
    this.#options.log.error({ err: error }, 'open sockets could not be checked for revoked tokens');
  }
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
