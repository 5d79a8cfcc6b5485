// Sends orders to the supervisor inside a sandbox, over a socket that the supervisor inherited.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Order {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface Orders {
  start(order: Order, signal: AbortSignal): Promise<void>;
  /** Runs a program to its end and returns its exit code. */
  run(order: Order, signal: AbortSignal): Promise<number>;
  /** Whether the app's port accepts a connection. */
  isUp(signal: AbortSignal): Promise<boolean>;
}

export function openOrders(socketPath: string): Orders {
  async function send(path: string, order: Order | null, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request({ socketPath, path, method: 'POST', signal, agent: false }, (response) => {
        text(response).then(resolve, reject);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(order));
    });
    return JSON.parse(answer) as Record<string, unknown>;
  }
  return {
    start: async (order, signal) => void (await send('/start', order, signal)),
    run: async (order, signal) => Number((await send('/run', order, signal))['code']),
    isUp: async (signal) => (await send('/up', null, signal))['up'] === true,
  };
}
