// A WebSocket client that sends anything, and notes what the server answers.
import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

export interface RawSocket extends Disposable {
  readonly socket: WebSocket;
  /** What the server has sent so far. */
  readonly messages: readonly SocketMessage[];
  readonly closed: Promise<readonly [code: number, reason: string]>;
  /** Sends text and bytes as they are, and everything else as JSON. */
  send(...messages: readonly unknown[]): void;
  /** Resolves when the server has sent this many messages. */
  until(count: number): Promise<readonly SocketMessage[]>;
}

export interface RawSocketOptions {
  /** The names of subprotocols that the client offers. Left out: the right one. */
  readonly subprotocol?: string | null;
  /** Left out: the client does not sign in. */
  readonly token?: string;
}

/** Rejects if the server refuses the upgrade. */
export async function openRawSocket(
  url: string,
  { subprotocol = 'graphql-transport-ws', token }: RawSocketOptions = {},
): Promise<RawSocket> {
  // As a header, so that the client accepts an answer without the subprotocol.
  const headers = subprotocol === null ? {} : { 'sec-websocket-protocol': subprotocol };
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/graphql`,
    subprotocol === 'graphql-transport-ws' ? [subprotocol] : [],
    subprotocol === 'graphql-transport-ws' ? {} : { headers },
  );
  const messages: SocketMessage[] = [];
  const closing = Promise.withResolvers<readonly [number, string]>();
  socket.on('message', (data: Buffer) => void messages.push(JSON.parse(data.toString())));
  socket.on('close', (code, reason) => closing.resolve([code, reason.toString()]));
  await once(socket, 'open');
  socket.on('error', () => {});
  const raw: RawSocket = {
    socket,
    messages,
    closed: closing.promise,
    send: (...all) => {
      for (const each of all)
        socket.send(typeof each === 'string' || Buffer.isBuffer(each) ? each : JSON.stringify(each));
    },
    until: async (count) => {
      await expect.poll(() => messages.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(count);
      return messages;
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
  if (token !== undefined) {
    raw.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
    await raw.until(1);
  }
  return raw;
}
