// A proxy to a service. A test can cut the connections and restore them.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface ServiceProxy extends AsyncDisposable {
  readonly url: string;
  cut(): void;
  /** Cuts all connections. New ones are accepted. */
  cutOpen(): void;
  /** Cuts all connections except WebSockets, and refuses new ones. */
  cutRequests(): void;
  restore(): void;
  /** Accepts connections from now on until `restore`, and never passes anything on for them. */
  hold(): void;
  /** How many connections are held. */
  held(): number;
  /** How many connections were refused. */
  refused(): number;
}

export async function startProxy({ hostname, port }: URL): Promise<ServiceProxy> {
  const open = new Set<Socket>();
  const webSockets = new Set<Socket>();
  let isCut = false;
  let isHolding = false;
  let held = 0;
  let refused = 0;
  const server = createServer((client) => {
    if (isHolding) {
      held += 1;
      open.add(client);
      client.on('error', () => {});
      return void client.on('close', () => open.delete(client));
    }
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
  const cutOpen = (): void => {
    for (const socket of open) socket.destroy();
  };
  const cut = (): void => {
    isCut = true;
    cutOpen();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    cutOpen,
    cutRequests() {
      isCut = true;
      for (const socket of open) if (!webSockets.has(socket)) socket.destroy();
    },
    restore: () => void (isCut = isHolding = false),
    hold: () => void (isHolding = true),
    held: () => held,
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
