// All routes of the server, except git over HTTP, webhooks of GitHub and previews.
import { join } from 'node:path';
import type { ApolloServer } from '@apollo/server';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { loadDocuments } from '../../rest-facade/index.ts';
import type { Ports } from '../context.ts';
import type { InvariantReport } from '../domain/health/invariants.ts';
import type { CompiledQueries } from '../graphql/compiled.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from '../graphql/context.ts';
import { createOperationMeter } from '../graphql/measuring.ts';
import { interlockSchema } from '../graphql/schema.ts';
import type { Authenticator, Secrets } from '../modules/accounts/index.ts';
import type { MetricsPage, Overdue } from '../modules/health/index.ts';
import type { Oidc } from '../modules/oidc/index.ts';
import { projectRoot } from '../platform/project-root.ts';
import { describeEveryAnswer, refuseTokenGuessing } from './answers.ts';
import type { Callers } from './callers.ts';
import { serveDashboard, type Dashboard } from './dashboard.ts';
import { serveEmbeds } from './embed/index.ts';
import { serveGraphQL } from './graphql.ts';
import { serveHealth } from './health.ts';
import type { AnswerStore } from './idempotency.ts';
import { serveMcp } from './mcp.ts';
import { dashboardOperations, measureRequests, serveMetrics } from './metrics.ts';
import type { PageOptions } from './page.ts';
import { serveProofs } from './proofs.ts';
import { servePullRequestPages } from './pull-request-page.ts';
import type { RateLimiter } from './rate-limit.ts';
import { serveRest } from './rest.ts';
import { serveRunbookPages } from './runbook-page.ts';
import { serveGraphiql, serveSchemas } from './schemas.ts';
import { serveSessionPages } from './session-pages.ts';
import { traceRequests } from './tracing.ts';
import type { WrongTokens } from './wrong-tokens.ts';

export interface RouteOptions {
  readonly ports: Ports;
  readonly secrets: Secrets;
  /** Work that is older than its own time limit, which /readyz reports. */
  readonly overdue?: () => readonly Overdue[];
  /** The newest comparison with the invariants. Left out, or null: there is none yet. */
  readonly invariants?: () => InvariantReport | null;
  /**
   * Registers further routes, such as git over HTTP. They have a Fastify scope of their own, with their own error
   * handler and hooks.
   */
  readonly registerExtra?: (
    fastify: FastifyInstance,
    parts: { readonly authenticator: Authenticator; readonly callers: Callers; readonly rateLimiter: RateLimiter },
  ) => Promise<void> | void;
  /** The folder of the bundled GraphiQL. If it was not built, GraphiQL is not served. */
  readonly graphiqlDir?: string;
  /** The folder of the bundled dashboard. If it was not built, the first page says how to build it. */
  readonly dashboardDir?: string;
  /** Sites that may show the pages of embed links in a frame, as in the Content-Security-Policy. Default: none. */
  readonly frameAncestors?: string;
  /**
   * The page /metrics, and the token that readers must send. If the token is null, only clients on this machine may
   * read. Left out: there is no such page.
   */
  readonly metrics?: { readonly page: MetricsPage; readonly token: string | null };
}

/** The parts that routes need. */
export interface RouteParts {
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly wrongTokens: WrongTokens;
  readonly oidc: Oidc | null;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly compiled: CompiledQueries;
}

/**
 * Registers all routes. Returns the Apollo server, and the names of the operations that metrics and spans show by name.
 */
export async function serveRoutes(
  fastify: FastifyInstance,
  options: RouteOptions,
  parts: RouteParts,
): Promise<{ readonly apollo: ApolloServer<GraphQLContext>; readonly known: ReadonlySet<string> }> {
  const {
    ports,
    secrets,
    metrics,
    registerExtra,
    overdue = () => [],
    invariants = () => null,
    frameAncestors = "'none'",
  } = options;
  const { log, publicUrl } = ports;
  const { authenticator, callers, services, rateLimiter } = parts;
  const { temporal } = services;
  const dashboardDir = options.dashboardDir ?? join(projectRoot, 'dist', 'dashboard');
  const dashboard = await serveDashboard(fastify, { folder: dashboardDir, callers, publicUrl });
  const documents = loadDocuments();
  const known = new Set([...documents.map(({ name }) => name), ...dashboardOperations(dashboardDir)]);
  const schema = interlockSchema();
  const executing = { ...parts, schema, log, measure: createOperationMeter(ports.meter, known) };
  traceRequests(fastify);
  measureRequests(fastify, ports.meter);
  describeEveryAnswer(fastify, dashboard);
  if (metrics) serveMetrics(fastify, { ...metrics, publicUrl, temporal: temporal.health });
  refuseTokenGuessing(fastify, parts);
  serveHealth(fastify, { db: ports.db, temporal, overdue, invariants });
  const apollo = await serveGraphQL(fastify, { ...executing, clock: ports.clock });
  serveMcp(fastify, { ...executing, apollo, publicUrl });
  serveRest(fastify, { ...executing, documents });
  const admit = admission(parts);
  serveProofs(fastify, { admit, secrets });
  servePages(fastify, { ...executing, dashboard, admit });
  await serveSessionPages(fastify, { ...parts, ports, secrets });
  serveEmbeds(fastify, { ...executing, folder: dashboardDir, frameAncestors });
  serveSchemas(fastify);
  await serveGraphiql(fastify, options.graphiqlDir ?? join(projectRoot, 'dist', 'graphiql'));
  if (registerExtra)
    await fastify.register(async (scope) => await registerExtra(scope, { authenticator, callers, rateLimiter }));
  return { apollo, known };
}

/** Authenticates a request by the session of a browser or by a token, and applies the rate limit of the account. */
function admission({ authenticator, callers, rateLimiter }: RouteParts): PageOptions['admit'] {
  return async (request) => {
    const session =
      callers.sessionOf(request.headers) === null
        ? await authenticator.authenticateToken(callers.secretOf(request.headers) ?? '', request.id)
        : await callers.authenticate(request, request.id);
    rateLimiter.take(session.ctx.accountId, 1);
    return session;
  };
}

interface PageParts extends RouteParts {
  readonly schema: GraphQLSchema;
  readonly dashboard: Dashboard;
  readonly admit: PageOptions['admit'];
}

function servePages(fastify: FastifyInstance, { schema, dashboard, services, admit }: PageParts): void {
  const options: PageOptions = {
    schema,
    admit,
    contextOf: ({ ctx }) => graphQLContext(ctx, services, 'graphql_api'),
    answerBrowser: async (request, reply) => await dashboard.answer(request, reply),
  };
  serveRunbookPages(fastify, options);
  servePullRequestPages(fastify, options);
}
