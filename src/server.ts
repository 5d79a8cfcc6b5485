// The server: GraphQL, its REST translation and its subscriptions over one port, for requests of many accounts.
import { existsSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { execute, type ExecutionResult } from 'graphql';
import {
  acceptsProblem,
  compileFacade,
  loadDocuments,
  problemOf,
  problemType,
  registerFacade,
  serverOptions,
  type Idempotency,
  type KeyedRequest,
} from '../rest-facade/index.ts';
import type { Ports, Scope } from './context.ts';
import { configurationJsonSchema } from './domain/configuration/index.ts';
import type { OidcSettings } from './domain/accounts/oidc-settings.ts';
import { DomainError, errorCodes } from './domain/errors.ts';
import { decideReadiness } from './domain/health/readiness.ts';
import { createApollo } from './graphql/apollo.ts';
import { measuring, type MeasureOperation } from './graphql/measuring.ts';
import { graphQLContext, type GraphQLContext, type RequestServices, type TemporalView } from './graphql/context.ts';
import { refusal, withDomainError } from './graphql/errors.ts';
import { EventLogPubSub } from './graphql/event-log-pubsub.ts';
import { interlockSchema } from './graphql/schema.ts';
import { serveSockets } from './graphql/sockets.ts';
import {
  createAuthenticator,
  requireScope,
  type Authenticator,
  type Secrets,
  type Session,
} from './modules/accounts/index.ts';
import type { EventHub } from './modules/events/index.ts';
import { personRoles } from './modules/github/index.ts';
import { oidcConfirmation, openOidc } from './modules/oidc/index.ts';
import { findParts, overdueAnswer, type MetricsPage, type Overdue } from './modules/health/index.ts';
import { findSandboxBySlug } from './modules/previews/index.ts';
import { forgetDeleted } from './modules/repositories/index.ts';
import { outageAsRefusal, refusingOutages } from './platform/outage.ts';
import { projectRoot } from './platform/project-root.ts';
import { inSpan } from './platform/tracing/index.ts';
import { serveApiDocs } from './server/api-docs.ts';
import { createCallers, type Callers } from './server/callers.ts';
import type { TrustsProxy } from './server/client-address.ts';
import { serveDashboard, type Dashboard } from './server/dashboard.ts';
import { serveEmbeds } from './server/embed/index.ts';
import { openKeptAnswers, type IdempotencyKey, type KeptAnswers } from './server/idempotency.ts';
import { serveMcp } from './server/mcp.ts';
import { dashboardOperations, measureRequests, serveMetrics } from './server/metrics.ts';
import type { PageOptions } from './server/page.ts';
import { askingAboutPeople } from './server/people.ts';
import { createPreviewProxy, type PreviewProxy } from './server/preview-proxy.ts';
import { shareRateLimit } from './server/rate-limit.shared.ts';
import { createRateLimiter, RateLimited, type RateLimit, type RateLimiter } from './server/rate-limit.ts';
import { servePullRequestPages } from './server/pull-request-page.ts';
import { serveRunbookPages } from './server/runbook-page.ts';
import { serveSessionPages } from './server/session-pages.ts';
import { serveFolder } from './server/static-files.ts';
import { traceRequests } from './server/tracing.ts';
import { createWrongTokens, notingGood, type WrongTokens } from './server/wrong-tokens.ts';

export interface ServerOptions {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly hub: EventHub;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Servers of GitHub that accounts may have Apps on, besides GitHub's own. Default: none. */
  readonly githubServers?: readonly string[];
  /** The OpenID provider that people sign in at. Default: none. */
  readonly oidc?: OidcSettings | null;
  /** Proxies whose X-Forwarded-For counts. Default: none. */
  readonly trustsProxy?: TrustsProxy | null;
  /** What /readyz reports besides: work that is older than its own time limit. */
  readonly overdue?: () => readonly Overdue[];
  /** What it reports about Temporal. Left out: nothing. */
  readonly temporal?: TemporalView;
  /** More to serve, such as git over HTTP. Its errors and hooks stay its own. */
  readonly registerExtra?: (
    fastify: FastifyInstance,
    parts: { readonly authenticator: Authenticator; readonly callers: Callers; readonly rateLimiter: RateLimiter },
  ) => Promise<void> | void;
  /** Of an account; 100 a second and bursts of 200 unless given. */
  readonly rateLimit?: RateLimit;
  /** The bundled GraphiQL; it is left out where that was not built. */
  readonly graphiqlDir?: string;
  /** The bundled dashboard; the first page says how to build it where that was not done. */
  readonly dashboardDir?: string;
  /** Sites that may show the pages of embed links in a frame, as in the Content-Security-Policy. Default: none. */
  readonly frameAncestors?: string;
  /** What /metrics says, and the token that reads it. Left out: there is no such page. A token of null: this machine alone. */
  readonly metrics?: { readonly page: MetricsPage; readonly token: string | null };
}

export interface Server {
  readonly url: string;
  /** Answers what was started, closes sockets, and frees the port. Closing twice is closing once. */
  close(): Promise<void>;
}

const bodyLimit = 1024 * 1024;
// Affected targets may come with a mutation.
const graphqlBodyLimit = 20 * bodyLimit;
const closeIdleEveryMs = 100;
const keepAliveMs = 72_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  const { ports, secrets, hub } = options;
  const wrongTokens = createWrongTokens(ports.clock);
  const oidc = options.oidc ? openOidc(ports, options.oidc) : null;
  const authenticator = notingGood(
    askingAboutPeople(await createAuthenticator({ ports, secrets }), {
      roleAtGitHub: personRoles(ports, secrets),
      confirmAtOidc: oidcConfirmation(ports, secrets, oidc),
    }),
    wrongTokens,
  );
  const keptAnswers = await openKeptAnswers(ports);
  const stopForgetting = await forgetDeleted(ports.db);
  const services: RequestServices = {
    secrets,
    events: new EventLogPubSub(hub),
    githubServers: options.githubServers ?? [],
    temporal: options.temporal ?? { ui: null, urlOf: () => null, health: () => null },
  };
  const rateLimiter = createRateLimiter(ports.clock, options.rateLimit);
  const sharing = shareRateLimit({ ...ports, limiter: rateLimiter }, (error) =>
    ports.log.warn({ err: error }, 'the rate limit counts in this process alone'),
  );
  const previews = createPreviewProxy({
    publicUrl: ports.publicUrl,
    find: async (slug) => await findSandboxBySlug(ports.db, secrets, slug),
    clock: ports.clock,
    log: ports.log,
  });
  const callers = createCallers(authenticator, ports.publicUrl);
  const fastify = Fastify({
    ...serverOptions,
    trustProxy: options.trustsProxy ?? false,
    serverFactory: (handler) => serverBeside(previews, handler),
    bodyLimit,
    loggerInstance: ports.log.child(
      {},
      { level: ports.log.isLevelEnabled('info') ? 'warn' : ports.log.level },
    ) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  });
  const dashboardDir = options.dashboardDir ?? join(projectRoot, 'dist', 'dashboard');
  const dashboard = await serveDashboard(fastify, {
    folder: dashboardDir,
    callers,
    publicUrl: ports.publicUrl,
  });
  const documents = loadDocuments();
  const known = new Set([...documents.map(({ name }) => name), ...dashboardOperations(dashboardDir)]);
  const parts: Parts = {
    ports,
    documents,
    measure: measuring(ports.meter, known),
    authenticator,
    callers,
    dashboard,
    services,
    rateLimiter,
    keptAnswers,
    log: ports.log,
  };
  traceRequests(fastify);
  measureRequests(fastify, ports.meter);
  describeEveryAnswer(fastify, dashboard);
  if (options.metrics) {
    const { publicUrl } = ports;
    serveMetrics(fastify, { ...options.metrics, publicUrl, temporal: services.temporal.health });
  }
  refuseGuessers(fastify, { wrongTokens, callers });
  serveHealth(fastify, { ...ports, temporal: services.temporal, overdue: options.overdue ?? (() => []) });
  const apollo = await serveGraphQL(fastify, parts);
  serveMcp(fastify, { ...parts, apollo, schema: interlockSchema(), publicUrl: ports.publicUrl });
  serveRest(fastify, parts);
  servePages(fastify, parts);
  await serveSessionPages(fastify, { ports, secrets, authenticator, callers, wrongTokens, oidc });
  serveEmbeds(fastify, {
    schema: interlockSchema(),
    services,
    authenticator,
    wrongTokens,
    log: ports.log,
    folder: dashboardDir,
    frameAncestors: options.frameAncestors ?? "'none'",
  });
  serveSchemas(fastify);
  await serveGraphiql(fastify, options.graphiqlDir ?? join(projectRoot, 'dist', 'graphiql'));
  if (options.registerExtra)
    await fastify.register(
      async (scope) => await options.registerExtra?.(scope, { authenticator, callers, rateLimiter }),
    );
  const sockets = serveSockets({
    server: fastify.server,
    isElsewhere: (request) => previews.isPreview(request),
    schema: interlockSchema(),
    authenticator,
    callers,
    services,
    rateLimiter,
    wrongTokens,
    trustsProxy: options.trustsProxy ?? null,
    log: ports.log,
    newRequestId: randomUUID,
  });
  await fastify.listen({ port: options.port, host: options.host });
  const { port } = fastify.server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await sharing.stop();
    await sockets.close();
    previews.close();
    // A connection that was answering when the close began is idle a moment later, and would be kept for its next
    // request: 72 s by Fastify's default.
    const closingIdle = setInterval(() => fastify.server.closeIdleConnections(), closeIdleEveryMs);
    await fastify.close().finally(() => clearInterval(closingIdle));
    await apollo.stop();
    await keptAnswers.close();
    await stopForgetting();
    await authenticator.close();
  };
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: async () => await (closing ??= close()),
  };
}

// Before any route, hook or parser of ours: a preview's host is another origin.
function serverBeside(previews: PreviewProxy, handler: RequestListener): HttpServer {
  // As Fastify sets them where it makes the server.
  const server = createServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0 }, (request, response) => {
    if (previews.isPreview(request)) previews.serve(request, response);
    else handler(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (previews.isPreview(request)) previews.upgrade(request, socket, head);
  });
  return server;
}

interface Parts {
  readonly ports: Ports;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly dashboard: Dashboard;
  readonly services: RequestServices;
  readonly rateLimiter: RateLimiter;
  readonly keptAnswers: KeptAnswers;
  readonly log: Ports['log'];
  readonly measure: MeasureOperation;
  readonly documents: ReturnType<typeof loadDocuments>;
}

function describeEveryAnswer(fastify: FastifyInstance, dashboard: Dashboard): void {
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  });
  fastify.setNotFoundHandler(async (request, reply) =>
    (await dashboard.answerUnknown(request, reply)) ? reply : await sendError(reply, 404, 'Not found'),
  );
  fastify.setErrorHandler(async (thrown: Error & { readonly statusCode?: number }, request, reply) => {
    const error = outageAsRefusal(thrown) as typeof thrown;
    const status = error instanceof DomainError ? errorCodes[error.code] : (error.statusCode ?? 500);
    if (status < 500) return await sendError(reply, status, error.message);
    request.log.error({ err: thrown, requestId: request.id }, 'a request failed');
    if (!(error instanceof DomainError) || error.retryAfterSec === undefined)
      return await sendFailure(reply, status, { error: 'Internal server error', request_id: request.id });
    reply.header('retry-after', String(error.retryAfterSec));
    return await sendError(reply, status, error.message);
  });
}

/** By its answer alone, whichever part gave it: REST, GraphQL, git or a page. */
function refuseGuessers(
  fastify: FastifyInstance,
  { wrongTokens, callers }: { readonly wrongTokens: WrongTokens; readonly callers: Callers },
): void {
  fastify.addHook('onRequest', async ({ ip, headers }, reply) => {
    const secret = callers.secretOf(headers);
    const seconds = secret === null ? null : wrongTokens.refusedForSec(ip, secret);
    if (seconds === null) return;
    reply.header('retry-after', String(seconds)).header('connection', 'close');
    return await sendError(reply, 429, `Too many wrong tokens came from ${ip}: try again in ${seconds} s.`);
  });
  fastify.addHook('onResponse', async ({ ip, headers }, { statusCode }) => {
    if (statusCode === 401 && callers.secretOf(headers) !== null) wrongTokens.noteWrong(ip);
  });
}

async function sendError(reply: FastifyReply, status: number, error: string): Promise<unknown> {
  return await sendFailure(reply, status, { error });
}

async function sendFailure(
  reply: FastifyReply,
  status: number,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  reply.code(status);
  if (!acceptsProblem(reply.request.headers.accept)) return await reply.send(body);
  return await reply.type(`${problemType}; charset=utf-8`).send(JSON.stringify(problemOf(status, body)));
}

interface Health {
  readonly db: Ports['db'];
  readonly temporal: TemporalView;
  readonly overdue: () => readonly Overdue[];
}

function serveHealth(fastify: FastifyInstance, { db, temporal, overdue }: Health): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }));
  fastify.get<{ Querystring: { readonly deep?: string } }>('/readyz', async ({ query }, reply) => {
    const isDeep = query.deep !== undefined && query.deep !== 'false';
    const parts = await findParts(db, temporal.health());
    // Without Temporal and workers a server still answers and admits.
    const { status, body } = decideReadiness({ parts, needs: ['database'], isDeep });
    const answer = { ...body, ...overdueAnswer(overdue()) };
    return status === 200 ? answer : await sendFailure(reply, status, answer);
  });
}

const callersFault: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN']);

async function serveGraphQL(
  fastify: FastifyInstance,
  { callers, services, rateLimiter, keptAnswers, log, measure }: Parts,
): Promise<ApolloServer<GraphQLContext>> {
  const apollo = createApollo({ schema: interlockSchema(), rateLimiter, keptAnswers, log, measure });
  await apollo.start();
  const handler = fastifyApolloHandler(apollo, {
    context: async (request): Promise<GraphQLContext> => {
      try {
        const { ctx } = await callers.authenticate(request, request.id);
        return graphQLContext(ctx, services, 'graphql_api');
      } catch (error) {
        const refused = outageAsRefusal(error);
        if (!(refused instanceof DomainError)) throw refused;
        if (!callersFault.has(refused.code)) log.error({ err: error, requestId: request.id }, 'a request failed');
        throw refusal(
          refused,
          refused.code === 'UNAUTHENTICATED' ? new Map([['www-authenticate', 'Bearer']]) : undefined,
        );
      }
    },
  });
  fastify.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: graphqlBodyLimit,
    exposeHeadRoute: false,
    // What a session reads by GET is for its browser alone.
    onRequest: async (_request, reply) => void reply.header('cache-control', 'no-store'),
    handler,
  });
  return apollo;
}

function serveRest(
  fastify: FastifyInstance,
  { authenticator, callers, services, rateLimiter, keptAnswers, measure, documents }: Parts,
): void {
  const schema = interlockSchema();
  const sessions = new WeakMap<FastifyRequest, Session>();
  const allowances = new WeakMap<FastifyRequest, ReadonlyMap<string, string>>();
  const sessionOf = (request: FastifyRequest): Session => {
    const session = sessions.get(request);
    if (!session) throw new DomainError('UNAUTHENTICATED', 'Unauthorized');
    return session;
  };
  const keyOf = ({ operation, key, fingerprint, request }: KeyedRequest): IdempotencyKey => {
    const { accountId, actor } = sessionOf(request).ctx;
    if (actor.userId === null) throw new Error('A request has no user.');
    return { accountId, userId: actor.userId, operation, key, fingerprint };
  };
  const idempotency: Idempotency = {
    authorise: ({ request }, scope) => requireScope(sessionOf(request).ctx, scope as Scope),
    begin: async (keyed) => await refusingOutages(async () => await keptAnswers.claim(keyOf(keyed))),
    finish: async (keyed, answer) => await keptAnswers.conclude(keyOf(keyed), answer),
  };
  fastify.addHook('onSend', async (request, reply) => {
    for (const [name, value] of allowances.get(request) ?? []) reply.header(name, value);
  });
  registerFacade(fastify, {
    operations: compileFacade({ schema, documents }),
    idempotency,
    authenticate: async (request) => {
      // Pages may read by REST with their session. What changes something needs a token.
      const session = await refusingOutages(async () =>
        request.method === 'GET'
          ? await callers.authenticate(request, request.id)
          : await authenticator.authenticate(request.headers.authorization, request.id),
      );
      sessions.set(request, session);
      try {
        allowances.set(request, rateLimiter.take(session.ctx.accountId, 1));
      } catch (error) {
        if (error instanceof RateLimited) allowances.set(request, error.headers);
        throw error;
      }
    },
    execute: async ({ document, variables, operationName, request }): Promise<ExecutionResult> => {
      const contextValue = graphQLContext(sessionOf(request).ctx, services, 'rest_api');
      const startedAt = performance.now();
      const result = await inSpan(
        `GraphQL ${operationName}`,
        {},
        async () => await execute({ schema, document, variableValues: variables, operationName, contextValue }),
      );
      measure({ name: operationName, errors: result.errors ?? [], startedAt });
      return result.errors ? { ...result, errors: result.errors.map(withDomainError) } : result;
    },
  });
}

function servePages(
  fastify: FastifyInstance,
  { authenticator, callers, dashboard, services, rateLimiter }: Parts,
): void {
  const options: PageOptions = {
    schema: interlockSchema(),
    admit: async (request) => {
      const session =
        callers.sessionOf(request.headers) === null
          ? await authenticator.authenticateToken(callers.secretOf(request.headers) ?? '', request.id)
          : await callers.authenticate(request, request.id);
      rateLimiter.take(session.ctx.accountId, 1);
      return session;
    },
    contextOf: ({ ctx }) => graphQLContext(ctx, services, 'graphql_api'),
    answerBrowser: async (request, reply) => await dashboard.answer(request, reply),
  };
  serveRunbookPages(fastify, options);
  servePullRequestPages(fastify, options);
}

// What clients, editors and generators are written against. None of it is an account's.
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
