// The HTTP server of a worker: it reports whether the worker is alive and whether it takes work, and serves metrics.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { InvariantReport } from './domain/health/invariants.ts';
import { judgeInvariants, type Part, type TemporalHealth } from './domain/health/parts.ts';
import { decideReadiness } from './domain/health/readiness.ts';
import { findParts, overdueAnswer, type Overdue } from './modules/health/index.ts';
import type { Database } from './platform/database.ts';
import { answerMetrics, type MetricsAnswer, type MetricsAnswering } from './server/metrics.ts';

export interface WorkerHealth {
  readonly url: string;
  close(): Promise<void>;
}

export interface WorkerHealthOptions {
  /** 0: a free port is chosen. */
  readonly port: number;
  readonly host: string;
  /** The parts on which the worker depends. */
  readonly parts: () => Promise<readonly Part[]>;
  /** Work that is older than its own time limit. */
  readonly overdue: () => readonly Overdue[];
  /** The newest comparison with the invariants. Null: there is none yet. */
  readonly invariants: () => InvariantReport | null;
  readonly metrics: MetricsAnswering;
  readonly log: Logger;
}

/** The parts on which this worker's readiness depends. Other workers are not among them. */
export async function partsOfWorker(
  db: Database,
  { isRunning, temporal }: { readonly isRunning: boolean; readonly temporal: TemporalHealth | null },
): Promise<readonly Part[]> {
  const others = (await findParts(db, temporal)).filter(({ name }) => name !== 'worker');
  const sentence = isRunning ? null : 'The worker is stopping.';
  return [...others, { name: 'worker', well: isRunning, since: null, sentence }];
}

type Answer = (request: IncomingMessage) => Promise<MetricsAnswer>;

export async function serveWorkerHealth(options: WorkerHealthOptions): Promise<WorkerHealth> {
  const { port, host, parts, overdue, invariants, metrics, log } = options;
  const answers: Readonly<Record<string, Answer>> = {
    '/healthz': async () => json(200, { status: 'ok' }),
    '/readyz': async ({ url }) => {
      const deep = new URL(url ?? '', 'http://worker').searchParams.get('deep');
      const isDeep = deep !== null && deep !== 'false';
      const { status, body } = decideReadiness({
        parts: [...(await parts()), ...judgeInvariants(invariants())],
        needs: ['database', 'temporal', 'worker'],
        isDeep,
      });
      return json(status, { ...body, ...overdueAnswer(overdue()) });
    },
    '/metrics': async ({ headers, socket }) =>
      await answerMetrics({ headers, address: socket.remoteAddress ?? '' }, metrics),
  };
  const server = createServer((request, response) => {
    const answer = answers[(request.url ?? '').split('?')[0] ?? ''] ?? (async () => json(404, { error: 'Not found' }));
    void answer(request)
      .catch((error: unknown) => {
        log.error({ err: error }, 'a request failed');
        return json(500, { error: 'Internal server error' });
      })
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
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

function json(status: number, body: object): MetricsAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
