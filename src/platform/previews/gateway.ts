// Servers on any machine reach the sandboxes of a worker through the worker's gateway. The gateway is an HTTP proxy
// that accepts only the method CONNECT. The key of a route selects the app, so a request cannot choose an address.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect, isIP, type AddressInfo, type Socket } from 'node:net';
import { Duplex, pipeline } from 'node:stream';
import { connectOptions } from './address.ts';

/** How a server reaches one sandbox. */
export interface GatewayRoute {
  /** The address of the worker's gateway, `tcp:<host>:<port>`. */
  readonly address: string;
  /** A secret. It gives access to the sandbox. */
  readonly key: string;
}

export interface PreviewGateway {
  /** Opens a route, with a new key, to the address of a sandbox. `close` ends the route and its open connections. */
  open(address: string): GatewayRoute & { close(): void };
  close(): Promise<void>;
}

/** An address to listen on. Port 0: the system chooses a free port. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

export const loopbackGateway: GatewayAddress = { host: '127.0.0.1', port: 0 };

const keyBytes = 32;
const connectTimeoutMs = 10_000;

/**
 * Parses `<host>`, `<host>:<port>` or `[<IP address>]:<port>`. Null: other machines cannot connect to such an address.
 */
export function parseGatewayAddress(text: string): GatewayAddress | null {
  const [, bracketed, named, port = '0'] = /^(?:\[([^\]]+)\]|([^:[\]\s/]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? named;
  if (host === undefined || Number(port) > 65_535) return null;
  if (bracketed !== undefined && isIP(bracketed) === 0) return null;
  // `0.0.0.0` and `::` mean all addresses of this machine. Other machines cannot connect to these two.
  return /^[0:.]+$/.test(host) ? null : { host, port: Number(port) };
}

interface App {
  readonly address: string;
  readonly sockets: Set<Duplex>;
}

/** Connects a client with an app, until one of them closes the connection. */
function connectTo(app: App, outer: Duplex, head: Buffer): void {
  const inner = connect({ ...connectOptions(app.address), allowHalfOpen: true });
  for (const socket of [outer, inner]) {
    app.sockets.add(socket);
    socket.once('close', () => app.sockets.delete(socket));
  }
  outer.once('close', () => inner.destroy());
  const refused = (): void => refuse(outer, '502 Bad Gateway');
  inner.once('error', refused);
  inner.once('connect', () => {
    inner.off('error', refused);
    outer.write('HTTP/1.1 200 Connected\r\n\r\n');
    inner.write(head);
    pipeline(outer, inner, outer, () => {});
  });
}

/** Throws if the gateway cannot listen on this address. */
export async function openPreviewGateway({ host, port }: GatewayAddress = loopbackGateway): Promise<PreviewGateway> {
  const apps = new Map<string, App>();
  const server = createServer((_request, response) => response.writeHead(405, { allow: 'CONNECT' }).end());
  server.on('connect', (proxyRequest, outer, head) => {
    outer.on('error', () => outer.destroy());
    const app = apps.get(digestOf(keyOf(proxyRequest)));
    if (app === undefined) return refuse(outer, '407 Proxy Authentication Required');
    connectTo(app, outer, head);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const at = (server.address() as AddressInfo).port;
  const address = `tcp:${host.includes(':') ? `[${host}]` : host}:${at}`;
  async function close(): Promise<void> {
    for (const { sockets } of apps.values()) for (const socket of sockets) socket.destroy();
    apps.clear();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  let closing: Promise<void> | undefined;
  return {
    open(to) {
      const key = randomBytes(keyBytes).toString('base64url');
      const digest = digestOf(key);
      const sockets = new Set<Duplex>();
      apps.set(digest, { address: to, sockets });
      return {
        address,
        key,
        close() {
          apps.delete(digest);
          for (const socket of sockets) socket.destroy();
        },
      };
    },
    close: async () => await (closing ??= close()),
  };
}

/** Opens a request to the app of a route, over a new connection. The caller must set the `host` header. */
export function requestThrough(
  route: GatewayRoute,
  options: Pick<RequestOptions, 'method' | 'path' | 'headers'>,
): ClientRequest {
  return request({
    ...options,
    createConnection: (_, connected) => {
      connectThrough(route).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, new Duplex()),
      );
      return null;
    },
  });
}

async function connectThrough({ address, key }: GatewayRoute): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const proxyRequest = request({
      ...connectOptions(address),
      method: 'CONNECT',
      path: 'preview:80',
      headers: { 'proxy-authorization': `Bearer ${key}` },
      agent: false,
      timeout: connectTimeoutMs,
    });
    proxyRequest.on('connect', (answer, socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`The worker of the preview answers ${answer.statusCode ?? 'nothing'}.`));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    proxyRequest.on('timeout', () => proxyRequest.destroy(new Error('The worker of the preview does not answer.')));
    proxyRequest.on('error', reject);
    proxyRequest.end();
  });
}

function keyOf({ headers }: IncomingMessage): string {
  return /^Bearer (\S+)$/.exec(headers['proxy-authorization'] ?? '')?.[1] ?? '';
}

/** Keys are looked up by their digests, so that the time of the look-up reveals nothing about a key. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}
