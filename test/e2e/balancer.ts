// A reverse proxy in front of several servers. It asks the servers in turn, skips servers that refuse the connection,
// and answers 502 if a server breaks off.
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Sets the addresses of the servers that the proxy uses from now on. */
  use(urls: readonly string[]): void;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  let servers: readonly string[] = [];
  let turn = 0;
  const pass = (incoming: IncomingMessage, body: Buffer, answer: ServerResponse, triesLeft: number): void => {
    const server = servers[(turn += 1) % servers.length];
    if (server === undefined || triesLeft === 0) {
      answer.writeHead(502).end('No server takes the request.');
      return;
    }
    const outgoing = ask(`${server}${incoming.url}`, { method: incoming.method, headers: incoming.headers });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.on('error', () => answer.destroy()).pipe(answer);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') pass(incoming, body, answer, triesLeft - 1);
      else if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end('The server broke off.');
    });
    outgoing.end(body);
  };
  const proxy = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, Buffer.concat(chunks), answer, servers.length));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    use: (urls) => void (servers = urls),
    close: async () => {
      proxy.closeAllConnections();
      await new Promise<void>((resolve) => void proxy.close(() => resolve()));
    },
  };
}
