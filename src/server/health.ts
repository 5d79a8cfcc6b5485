// Answers whether the server lives (/healthz), and whether it and the parts that it needs are ready (/readyz).
import type { FastifyInstance } from 'fastify';
import type { Ports } from '../context.ts';
import type { InvariantReport } from '../domain/health/invariants.ts';
import { judgeInvariants } from '../domain/health/parts.ts';
import { decideReadiness } from '../domain/health/readiness.ts';
import type { TemporalView } from '../graphql/context.ts';
import { findParts, overdueAnswer, type Overdue } from '../modules/health/index.ts';
import { sendFailure } from './answers.ts';

export interface Health {
  readonly db: Ports['db'];
  readonly temporal: TemporalView;
  readonly overdue: () => readonly Overdue[];
  readonly invariants: () => InvariantReport | null;
}

export function serveHealth(fastify: FastifyInstance, { db, temporal, overdue, invariants }: Health): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get<{ Querystring: { readonly deep?: string } }>('/readyz', async ({ query }, reply) => {
    const isDeep = query.deep !== undefined && query.deep !== 'false';
    const parts = [...(await findParts(db, temporal.health())), ...judgeInvariants(invariants())];
    // Only the database is needed, because a server answers requests and admits pull requests even without Temporal and
    // workers.
    const { status, body } = decideReadiness({ parts, needs: ['database'], isDeep });
    const answer = { ...body, ...overdueAnswer(overdue()) };
    return status === 200 ? answer : await sendFailure(reply, status, answer);
  });
}
