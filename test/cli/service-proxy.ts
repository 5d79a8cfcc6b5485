// A proxy to a service. A test can cut the connections and restore them.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface ServiceProxy extends AsyncDisposable {
  readonly url: string;
  cut(): void;
  /** Cuts all connections except WebSockets, and refuses new ones. */
  cutRequests(): void;
  restore(): void;
  /** How many connections were refused. */
  refused(): number;
}

export async function startProxy({ hostname, port }: URL): Promise<ServiceProxy> {
  const open = new Set<Socket>();
  const webSockets = new Set<Socket>();
  let isCut = false;
  let refused = 0;
  const server = createServer((client) => {
    if (isCut) {
      refused += 1;
      return void client.destroy();
    }
    const service = connect(Number(port), hostname);
    // A WebSocket may begin on a connection that has carried requests.
    client.on('data', (bytes: Buffer) => {
      if (/^upgrade: websocket/im.test(bytes.toString('latin1'))) webSockets.add(client).add(service);
    });
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        webSockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    cutRequests() {
      isCut = true;
      for (const socket of open) if (!webSockets.has(socket)) socket.destroy();
    },
    restore: () => void (isCut = false),
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
