// The server. It serves GraphQL, REST, subscriptions, pages and git on one port, for all accounts.
import { existsSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ApolloServer } from '@apollo/server';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { loadDocuments, serverOptions } from '../rest-facade/index.ts';
import type { Ports } from './context.ts';
import { configurationJsonSchema } from './domain/configuration/index.ts';
import type { OidcSettings } from './domain/accounts/oidc-settings.ts';
import type { Violation } from './domain/health/invariants.ts';
import { judgeInvariants } from './domain/health/parts.ts';
import { decideReadiness } from './domain/health/readiness.ts';
import { createCompiledQueries, type CompiledQueries } from './graphql/compiled.ts';
import { createOperationMeter } from './graphql/measuring.ts';
import { graphQLContext, type GraphQLContext, type RequestServices, type TemporalView } from './graphql/context.ts';
import { EventLogPubSub } from './graphql/event-log-pubsub.ts';
import { interlockSchema } from './graphql/schema.ts';
import { usualSocketLimits, type SocketLimits } from './graphql/socket-limits.ts';
import { serveSockets } from './graphql/sockets.ts';
import { createAuthenticator, type Authenticator, type Secrets } from './modules/accounts/index.ts';
import type { EventHub } from './modules/events/index.ts';
import { personRoles } from './modules/github/index.ts';
import { oidcConfirmation, openOidc, revokeUnusedTokens, type Oidc } from './modules/oidc/index.ts';
import { findParts, overdueAnswer, type MetricsPage, type Overdue } from './modules/health/index.ts';
import { findSandboxBySlug } from './modules/previews/index.ts';
import { clearNamesOnDeletion } from './modules/repositories/index.ts';
import { createDeliveryChanges } from './modules/webhooks/index.ts';
import { projectRoot } from './platform/project-root.ts';
import { repeat, type Loop } from './platform/repeat.ts';
import { describeEveryAnswer, refuseTokenGuessing, sendFailure } from './server/answers.ts';
import { serveApiDocs } from './server/api-docs.ts';
import { withPresentRoles, createCallers, type Callers } from './server/callers.ts';
import type { TrustsProxy } from './server/client-address.ts';
import { serveDashboard, type Dashboard } from './server/dashboard.ts';
import { serveEmbeds } from './server/embed/index.ts';
import { serveGraphQL } from './server/graphql.ts';
import { openAnswerStore, type AnswerStore } from './server/idempotency.ts';
import { serveMcp } from './server/mcp.ts';
import { dashboardOperations, measureRequests, serveMetrics } from './server/metrics.ts';
import type { PageOptions } from './server/page.ts';
import { createPreviewProxy, type PreviewProxy } from './server/preview-proxy.ts';
import { shareRateLimit } from './server/rate-limit.shared.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from './server/rate-limit.ts';
import { serveProofs } from './server/proofs.ts';
import { serveRest } from './server/rest.ts';
import { servePullRequestPages } from './server/pull-request-page.ts';
import { serveRunbookPages } from './server/runbook-page.ts';
import { serveSessionPages } from './server/session-pages.ts';
import { serveFolder } from './server/static-files.ts';
import { traceRequests } from './server/tracing.ts';
import { createWrongTokens, recordGoodTokens, type WrongTokens } from './server/wrong-tokens.ts';

export interface ServerOptions {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly hub: EventHub;
  /** 0: a free port is chosen. */
  readonly port: number;
  readonly host: string;
  /** Servers of GitHub Enterprise on which accounts may have Apps, besides GitHub's own. Default: none. */
  readonly githubServers?: readonly string[];
  /** The OpenID provider at which people sign in. Default: none. */
  readonly oidc?: OidcSettings | null;
  /** Proxies whose X-Forwarded-For is believed. Default: none. */
  readonly trustsProxy?: TrustsProxy | null;
  /** Work that is older than its own time limit, which /readyz reports. */
  readonly overdue?: () => readonly Overdue[];
  /** Invariants that do not hold. Left out, or null: the invariants were not checked yet. */
  readonly violations?: () => readonly Violation[] | null;
  /** What the server reports about Temporal. Left out: nothing. */
  readonly temporal?: TemporalView;
  /**
   * Registers further routes, such as git over HTTP. They have a Fastify scope of their own, with their own error
   * handler and hooks.
   */
  readonly registerExtra?: (
    fastify: FastifyInstance,
    parts: { readonly authenticator: Authenticator; readonly callers: Callers; readonly rateLimiter: RateLimiter },
  ) => Promise<void> | void;
  /** The rate limit of an account. Default: 100 requests a second, with bursts of 200. */
  readonly rateLimit?: RateLimit;
  /** Left out: the usual limits. */
  readonly socketLimits?: SocketLimits;
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

export interface Server {
  readonly url: string;
  /** Answers running requests, closes sockets and frees the port. Idempotent. */
  close(): Promise<void>;
}

const bodyLimit = 1024 * 1024;
const closeIdleEveryMs = 100;
const keepAliveMs = 72_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  const { ports, secrets } = options;
  const access = await openAccess(options);
  const { authenticator, callers, wrongTokens } = access;
  const keptAnswers = await openAnswerStore(ports);
  const stopForgetting = await clearNamesOnDeletion(ports.db);
  const services: RequestServices = {
    secrets,
    events: new EventLogPubSub(options.hub),
    deliveries: createDeliveryChanges(ports),
    githubServers: options.githubServers ?? [],
    temporal: options.temporal ?? { ui: null, urlOf: () => null, health: () => null },
  };
  const rateLimiter = createRateLimiter(ports.clock, options.rateLimit);
  const sharing = shareRateLimit({ ...ports, limiter: rateLimiter }, (error) =>
    ports.log.warn({ err: error }, 'The rate limit counts only the requests of this process.'),
  );
  const revoking = revocationOf(options, access.oidc);
  const previews = createPreviewProxy({
    publicUrl: ports.publicUrl,
    find: async (slug) => await findSandboxBySlug(ports.db, secrets, slug),
    clock: ports.clock,
    log: ports.log,
  });
  const fastify = createFastify(options, previews);
  const compiled = createCompiledQueries(interlockSchema());
  const { apollo, known } = await serveRoutes(fastify, options, {
    ...access,
    services,
    rateLimiter,
    keptAnswers,
    compiled,
  });
  const sockets = serveSockets({
    server: fastify.server,
    isElsewhere: (request) => previews.isPreview(request),
    schema: interlockSchema(),
    compiled,
    authenticator,
    callers,
    services,
    rateLimiter,
    wrongTokens,
    trustsProxy: options.trustsProxy ?? null,
    limits: options.socketLimits ?? usualSocketLimits,
    known,
    log: ports.log,
    newRequestId: randomUUID,
  });
  await fastify.listen({ port: options.port, host: options.host });
  const { port } = fastify.server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  revoking?.start();
  const close = async (): Promise<void> => {
    await revoking?.stop();
    await sharing.stop();
    await sockets.close();
    previews.close();
    // A connection whose request was running when the close began becomes idle a moment later. Without this timer it
    // would be kept open for the keep-alive time of 72 s.
    const closingIdle = setInterval(() => fastify.server.closeIdleConnections(), closeIdleEveryMs);
    await fastify.close().finally(() => clearInterval(closingIdle));
    await apollo.stop();
    await services.deliveries.close();
    await keptAnswers.close();
    await stopForgetting();
    await authenticator.close();
  };
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: async () => await (closing ??= close()),
  };
}

/** The parts that authenticate requests. */
interface Access {
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly wrongTokens: WrongTokens;
  readonly oidc: Oidc | null;
}

async function openAccess({ ports, secrets, oidc: settings }: ServerOptions): Promise<Access> {
  const wrongTokens = createWrongTokens(ports.clock);
  const oidc = settings ? openOidc(ports, settings) : null;
  const authenticator = recordGoodTokens(
    withPresentRoles(await createAuthenticator({ ports, secrets }), {
      roleAtGitHub: personRoles(ports, secrets),
      confirmAtOidc: oidcConfirmation(ports, secrets, oidc),
    }),
    wrongTokens,
  );
  return { authenticator, callers: createCallers(authenticator, ports.publicUrl), wrongTokens, oidc };
}

const revokingEveryMs = 60_000;

/** A loop that revokes unused refresh tokens. Null: the installation has no OpenID provider. */
function revocationOf({ ports, secrets }: ServerOptions, oidc: Oidc | null): Loop | null {
  if (oidc === null) return null;
  return repeat(
    revokingEveryMs,
    async () => await revokeUnusedTokens(ports, secrets, oidc),
    (error) => ports.log.error({ err: error }, 'Unused refresh tokens of the OpenID provider could not be revoked.'),
  );
}

function createFastify({ ports, trustsProxy }: ServerOptions, previews: PreviewProxy): FastifyInstance {
  return Fastify({
    ...serverOptions,
    trustProxy: trustsProxy ?? false,
    serverFactory: (handler) => serverBeside(previews, handler),
    bodyLimit,
    loggerInstance: ports.log.child(
      {},
      { level: ports.log.isLevelEnabled('info') ? 'warn' : ports.log.level },
    ) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  });
}

// Requests to previews bypass all routes, hooks and parsers of the server, because a preview's host is another origin.
function serverBeside(previews: PreviewProxy, handler: RequestListener): HttpServer {
  // The same timeouts as if Fastify made the server.
  const server = createServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0 }, (request, response) => {
    if (previews.isPreview(request)) previews.serve(request, response);
    else handler(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (previews.isPreview(request)) previews.upgrade(request, socket, head);
  });
  return server;
}

/** The parts that routes need. */
interface Parts extends Access {
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: AnswerStore;
  readonly compiled: CompiledQueries;
}

/** Registers all routes. Returns the Apollo server. */
async function serveRoutes(
  fastify: FastifyInstance,
  options: ServerOptions,
  parts: Parts,
): Promise<{ readonly apollo: ApolloServer<GraphQLContext>; readonly known: ReadonlySet<string> }> {
  const {
    ports,
    secrets,
    metrics,
    registerExtra,
    overdue = () => [],
    violations = () => null,
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
  serveHealth(fastify, { db: ports.db, temporal, overdue, violations });
  const apollo = await serveGraphQL(fastify, executing);
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

interface Health {
  readonly db: Ports['db'];
  readonly temporal: TemporalView;
  readonly overdue: () => readonly Overdue[];
  readonly violations: () => readonly Violation[] | null;
}

function serveHealth(fastify: FastifyInstance, { db, temporal, overdue, violations }: Health): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get<{ Querystring: { readonly deep?: string } }>('/readyz', async ({ query }, reply) => {
    const isDeep = query.deep !== undefined && query.deep !== 'false';
    const parts = [...(await findParts(db, temporal.health())), ...judgeInvariants(violations())];
    // Only the database is needed, because a server answers requests and admits pull requests even without Temporal and
    // workers.
    const { status, body } = decideReadiness({ parts, needs: ['database'], isDeep });
    const answer = { ...body, ...overdueAnswer(overdue()) };
    return status === 200 ? answer : await sendFailure(reply, status, answer);
  });
}

/** Authenticates a request by the session of a browser or by a token, and applies the rate limit of the account. */
function admission({ authenticator, callers, rateLimiter }: Parts): PageOptions['admit'] {
  return async (request) => {
    const session =
      callers.sessionOf(request.headers) === null
        ? await authenticator.authenticateToken(callers.secretOf(request.headers) ?? '', request.id)
        : await callers.authenticate(request, request.id);
    rateLimiter.take(session.ctx.accountId, 1);
    return session;
  };
}

interface PageParts extends Parts {
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

// Serves the schemas, for clients, editors and generators. They contain no data of accounts.
function serveSchemas(fastify: FastifyInstance): void {
  const configuration = configurationJsonSchema();
  fastify.get(
    '/schema/config.json',
    async (_request, reply) =>
      await reply.type('application/schema+json; charset=utf-8').send(JSON.stringify(configuration)),
  );
  for (const [name, type] of [
    ['openapi.yaml', 'application/yaml'],
    ['schema.graphql', 'application/graphql'],
  ] as const) {
    const text = readFileSync(join(projectRoot, 'schema', name), 'utf8');
    if (name === 'openapi.yaml') serveApiDocs(fastify, text);
    fastify.get(`/schema/${name}`, async (_request, reply) => await reply.type(`${type}; charset=utf-8`).send(text));
  }
}

async function serveGraphiql(fastify: FastifyInstance, folder: string): Promise<void> {
  if (existsSync(join(folder, 'index.html')))
    await serveFolder(fastify, { prefix: '/graphiql', folder, immutable: 'assets' });
}
