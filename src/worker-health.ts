// What a worker answers to those who watch it: whether it lives, and whether it takes work.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readyAnswer, type Overdue } from './modules/health/index.ts';

export interface WorkerHealth {
  readonly url: string;
  close(): Promise<void>;
}

export interface WorkerHealthOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Null: it takes work. Otherwise why not. */
  readonly obstacle: () => Promise<string | null>;
  /** Work that is older than its own time limit. */
  readonly overdue: () => readonly Overdue[];
}

export async function serveWorkerHealth({ port, host, obstacle, overdue }: WorkerHealthOptions): Promise<WorkerHealth> {
  const answers: Readonly<Record<string, () => Promise<readonly [number, object]>>> = {
    '/healthz': async () => [200, { status: 'ok' }],
    '/readyz': async () => {
      const error = await obstacle();
      return error === null ? [200, readyAnswer(overdue())] : [503, { status: 'unavailable', error }];
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''] ?? (async () => [404, { error: 'Not found' }] as const);
    void answer().then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
