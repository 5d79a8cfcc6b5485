// Serves /metrics of servers and workers, and measures the requests of a server.
import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { TemporalHealth } from '../domain/health/parts.ts';
import { decideMetricsAccess } from '../domain/metrics/access.ts';
import { labelsOfRequest } from '../domain/metrics/bounded.ts';
import type { MetricsPage } from '../modules/health/index.ts';
import type { Meter } from '../platform/metrics/index.ts';
import { presentedToken } from './wrong-tokens.ts';

export interface MetricsAnswering {
  readonly page: MetricsPage;
  /** The token that readers must send. Null: only clients on this machine may read. */
  readonly token: string | null;
  readonly publicUrl: string;
  /** The last known health of Temporal. Null: it is unknown. */
  readonly temporal: () => TemporalHealth | null;
}

export interface MetricsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `address` is the remote address of the connection, regardless of headers such as X-Forwarded-For. */
export async function answerMetrics(
  { headers, address }: { readonly headers: IncomingHttpHeaders; readonly address: string },
  { page, token, publicUrl, temporal }: MetricsAnswering,
): Promise<MetricsAnswer> {
  const request = {
    isTokenRight: token !== null && isSame(presentedToken(headers.authorization ?? ''), token),
    address,
    isForwarded: headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined,
  };
  const access = decideMetricsAccess(request, { hasToken: token !== null, publicUrl });
  if (access.kind === 'granted')
    return { status: 200, headers: { 'content-type': page.contentType }, body: await page.text(temporal()) };
  return {
    status: access.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(access.status === 401 && { 'www-authenticate': 'Bearer' }),
    },
    body: JSON.stringify({ error: access.sentence }),
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

export function serveMetrics(fastify: FastifyInstance, answering: MetricsAnswering): void {
  fastify.get('/metrics', async ({ headers, socket }, reply) => {
    const {
      status,
      headers: own,
      body,
    } = await answerMetrics({ headers, address: socket.remoteAddress ?? '' }, answering);
    return await reply.code(status).headers(own).send(body);
  });
}

/** Measures every request to the server. */
export function measureRequests(fastify: FastifyInstance, meter: Meter): void {
  fastify.addHook('onResponse', ({ routeOptions, method }, { statusCode, elapsedTime }, done) => {
    const labels = labelsOfRequest({ route: routeOptions.url, method, status: statusCode });
    meter.time('interlock_http_request_duration_seconds', labels, elapsedTime / 1_000);
    done();
  });
}

/** The names of the dashboard's GraphQL operations, from a file of its build. Empty: the dashboard is not built. */
export function dashboardOperations(folder: string): readonly string[] {
  const file = join(folder, 'operations.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : [];
}
