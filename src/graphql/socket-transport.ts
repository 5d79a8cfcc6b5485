// Connects a WebSocket with the protocol of graphql-ws. `useServer` of the library is not used. It writes errors that
// clients cause to the console, and closes sockets with the text of internal errors unless NODE_ENV is `production`. It
// bounds neither the messages of a client nor the answers that a client does not read.
import type { IncomingMessage } from 'node:http';
import type { Server as ProtocolServer } from 'graphql-ws';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { createMessageMeter, type SocketLimits } from './socket-limits.ts';

/** What the protocol passes to each of its hooks. */
export interface SocketExtra {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** Called when the socket has signed in. */
  readonly onSignedIn: () => void;
}

export type Closing = readonly [code: number, reason: string];

const invalidMessage: Closing = [4400, 'Invalid message received'];
const tooManyMessages: Closing = [4429, 'Too many messages'];
const internalError: Closing = [4500, 'Internal server error'];
/** The library throws this error for a message that only a server may send. */
const serversMessage = /^Unexpected message of type /;
const maxReasonBytes = 123;
const pingEveryMs = 12_000;

/** Closes a socket. A reason that is too long for a close frame is shortened. */
export function closeSocket(socket: WebSocket, [code, reason]: Closing): void {
  let text = reason.slice(0, maxReasonBytes);
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  socket.close(code, text);
}

export interface Transport {
  readonly protocol: ProtocolServer<SocketExtra>;
  readonly limits: SocketLimits;
  readonly log: Logger;
}

/** Speaks the protocol on a socket until the socket is closed. */
export function speakProtocol(extra: SocketExtra, { protocol, limits, log }: Transport): void {
  const { socket } = extra;
  let handle = async (_text: string): Promise<void> => {};
  const end = protocol.opened(
    {
      protocol: socket.protocol,
      send: async (text) => await send(socket, text),
      close: (code = 1000, reason = '') => closeSocket(socket, [code, reason]),
      onMessage: (handler) => {
        handle = handler;
      },
    },
    extra,
  );
  const fail = (error: unknown): void => {
    if (error instanceof Error && serversMessage.test(error.message)) return closeSocket(socket, invalidMessage);
    log.error({ err: error }, 'a message of a socket could not be handled');
    closeSocket(socket, internalError);
  };
  const isAllowed = createGuard(socket, limits);
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (!isAllowed()) return;
    if (isBinary) closeSocket(socket, invalidMessage);
    else handle((data as Buffer).toString()).catch(fail);
  });
  for (const frame of ['ping', 'pong']) socket.on(frame, () => void isAllowed());
  // The socket closes itself after a frame that WebSockets do not allow.
  socket.on('error', (error) => log.debug({ err: error }, 'a client sent a frame that is not allowed'));
  const stopPings = keepAlive(socket);
  socket.once('close', (code, reason) => {
    stopPings();
    end(code, String(reason)).catch(fail);
  });
}

/**
 * Returns a function that is called for each message, and returns whether the message is handled. If the client sends
 * too many messages or leaves too many answers unread, the function ends the socket. Messages that arrive after the
 * server has begun to close the socket are not handled.
 */
function createGuard(socket: WebSocket, limits: SocketLimits): () => boolean {
  const takeMessage = createMessageMeter(limits);
  return () => {
    if (socket.readyState !== socket.OPEN) return false;
    // A client that does not read would not receive the reason either.
    if (socket.bufferedAmount > limits.unreadBytes) socket.terminate();
    else if (takeMessage()) return true;
    else closeSocket(socket, tooManyMessages);
    return false;
  };
}

async function send(socket: WebSocket, text: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return;
  await new Promise<void>((resolve, reject) => {
    socket.send(text, (error) => {
      if (error && socket.readyState === socket.OPEN) reject(error);
      else resolve();
    });
  });
}

/**
 * Returns a function that sends the JSON of a result, as a message `next` of the operation. Null: the message was handed
 * over at once. If the client reads slowly, so that earlier messages of the socket still wait here, the promise resolves
 * when this one has been handed over.
 */
export function createNextSender(socket: WebSocket, id: string): (json: string) => Promise<void> | null {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  return (json) => {
    const text = `${head}${json}}`;
    if (socket.bufferedAmount > 0) return send(socket, text);
    if (socket.readyState === socket.OPEN) socket.send(text);
    return null;
  };
}

/**
 * Ends the socket if its client has not answered a ping when the next one is due. Returns a function that ends the
 * pings.
 */
function keepAlive(socket: WebSocket): () => void {
  let isAnswered = true;
  socket.on('pong', () => {
    isAnswered = true;
  });
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, pingEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
