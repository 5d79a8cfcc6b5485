// The server. It serves GraphQL, REST, subscriptions, pages and git on one port, for all accounts.
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { serverOptions } from '../rest-facade/index.ts';
import type { OidcSettings } from './domain/accounts/oidc-settings.ts';
import { createCompiledQueries } from './graphql/compiled.ts';
import type { RequestServices, TemporalView } from './graphql/context.ts';
import { createLogEnds } from './graphql/log-ends.ts';
import { EventLogPubSub } from './graphql/event-log-pubsub.ts';
import { interlockSchema } from './graphql/schema.ts';
import { usualSocketLimits, type SocketLimits } from './graphql/socket-limits.ts';
import { serveSockets, type Sockets } from './graphql/sockets.ts';
import { createAuthenticator } from './modules/accounts/index.ts';
import type { EventHub } from './modules/events/index.ts';
import { personRoles } from './modules/github/index.ts';
import { oidcConfirmation, openOidc, revokeUnusedTokens, type Oidc } from './modules/oidc/index.ts';
import { findSandboxBySlug } from './modules/previews/index.ts';
import { clearNamesOnDeletion } from './modules/repositories/index.ts';
import { createDeliveryChanges } from './modules/webhooks/index.ts';
import { repeat, type Loop } from './platform/repeat.ts';
import { withPresentRoles, createCallers } from './server/callers.ts';
import type { TrustsProxy } from './server/client-address.ts';
import { openAnswerStore } from './server/idempotency.ts';
import { createPreviewProxy, type PreviewProxy } from './server/preview-proxy.ts';
import { shareRateLimit } from './server/rate-limit.shared.ts';
import { createRateLimiter, type RateLimit } from './server/rate-limit.ts';
import { RequestLog } from './server/request-log.ts';
import { serveRoutes, type RouteOptions, type RouteParts } from './server/routes.ts';
import { createWrongTokens, recordGoodTokens } from './server/wrong-tokens.ts';

export interface ServerOptions extends RouteOptions {
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
  /** What the server reports about Temporal. Left out: nothing. */
  readonly temporal?: TemporalView;
  /** The rate limit of an account. Default: 100 requests a second, with bursts of 200. */
  readonly rateLimit?: RateLimit;
  /** Left out: the usual limits. */
  readonly socketLimits?: SocketLimits;
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
  const { ports } = options;
  const access = await openAccess(options);
  const keptAnswers = await openAnswerStore(ports);
  const stopForgetting = await clearNamesOnDeletion(ports.db);
  const services = requestServicesOf(options);
  const rateLimiter = createRateLimiter(ports.clock, options.rateLimit);
  const sharing = shareRateLimit({ ...ports, limiter: rateLimiter }, (error) =>
    ports.log.warn({ err: error }, 'The rate limit counts only the requests of this process.'),
  );
  const revoking = revocationOf(options, access.oidc);
  const previews = openPreviews(options);
  const fastify = createFastify(options, previews);
  const parts = { ...access, services, rateLimiter, keptAnswers, compiled: createCompiledQueries(interlockSchema()) };
  const { apollo, known } = await serveRoutes(fastify, options, parts);
  const sockets = openSockets(options, { ...parts, server: fastify.server, previews, known });
  await fastify.listen({ port: options.port, host: options.host });
  const { port } = fastify.server.address() as AddressInfo;
  revoking?.start();
  const close = async (): Promise<void> => {
    await revoking?.stop();
    await sharing.stop();
    await sockets.close();
    previews.close();
    await closeFastify(fastify);
    await apollo.stop();
    await services.deliveries.close();
    await keptAnswers.close();
    await stopForgetting();
    await access.authenticator.close();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: async () => await (closing ??= close()),
  };
}

function requestServicesOf({ ports, secrets, hub, githubServers, temporal }: ServerOptions): RequestServices {
  return {
    secrets,
    events: new EventLogPubSub(hub),
    deliveries: createDeliveryChanges(ports),
    githubServers: githubServers ?? [],
    temporal: temporal ?? { ui: null, urlOf: () => null, health: () => null },
    logEnds: createLogEnds(),
  };
}

function openPreviews({ ports, secrets }: ServerOptions): PreviewProxy {
  return createPreviewProxy({
    publicUrl: ports.publicUrl,
    find: async (slug) => await findSandboxBySlug(ports.db, secrets, slug),
    clock: ports.clock,
    log: ports.log,
  });
}

interface SocketParts extends RouteParts {
  readonly server: HttpServer;
  readonly previews: PreviewProxy;
  readonly known: ReadonlySet<string>;
}

function openSockets({ ports, trustsProxy, socketLimits }: ServerOptions, parts: SocketParts): Sockets {
  return serveSockets({
    ...parts,
    isElsewhere: (request) => parts.previews.isPreview(request),
    schema: interlockSchema(),
    trustsProxy: trustsProxy ?? null,
    limits: socketLimits ?? usualSocketLimits,
    log: ports.log,
    newRequestId: randomUUID,
  });
}

// A connection whose request was running when the close began becomes idle a moment later. Without the timer it would be
// kept open for the keep-alive time of 72 s.
async function closeFastify(fastify: FastifyInstance): Promise<void> {
  const closingIdle = setInterval(() => fastify.server.closeIdleConnections(), closeIdleEveryMs);
  await fastify.close().finally(() => clearInterval(closingIdle));
}

/** The parts that authenticate requests. */
type Access = Pick<RouteParts, 'authenticator' | 'callers' | 'wrongTokens' | 'oidc'>;

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
    // `describeEveryAnswer` refuses the requests that arrive during a close. The answer of Fastify lacks Retry-After.
    return503OnClosing: false,
    trustProxy: trustsProxy ?? false,
    serverFactory: (handler) => serverBeside(previews, handler),
    bodyLimit,
    loggerInstance: ports.log.child(
      {},
      { level: ports.log.isLevelEnabled('info') ? 'warn' : ports.log.level },
    ) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (log, bindings, logOptions) => new RequestLog(log, bindings, logOptions),
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
