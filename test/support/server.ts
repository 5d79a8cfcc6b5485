// Makes a service for one test: a database, a local host, a sequencer, and one or more servers. Tests use the servers
// over HTTP and WebSockets, as users do. `drain` handles all events of the host and takes the engine's turns.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print, type DocumentNode } from 'graphql';
import { pino, type Logger } from 'pino';
import { scopes as allScopes, type Ports, type Scope } from '../../src/context.ts';
import type { OidcSettings } from '../../src/domain/accounts/oidc-settings.ts';
import { retainedKinds, type Retention } from '../../src/domain/retention/catalogue.ts';
import type { SlackSettings } from '../../src/domain/slack/settings.ts';
import type { TemporalView } from '../../src/graphql/context.ts';
import type { SocketLimits } from '../../src/graphql/socket-limits.ts';
import {
  createAccount,
  createApiToken,
  createAuthenticator,
  generateSecrets,
  type Secrets,
} from '../../src/modules/accounts/index.ts';
import { createEventHub } from '../../src/modules/events/index.ts';
import type { RunbookDriving } from '../../src/modules/runbooks/index.ts';
import type { WebhookOptions } from '../../src/modules/webhooks/index.ts';
import type { TrustsProxy } from '../../src/server/client-address.ts';
import { serveLocalGit } from '../../src/server/local-git.ts';
import { startServer as startHttpServer } from '../../src/server.ts';
import { createService, type Service, type ServiceOptions } from '../../src/service.ts';
import { withStreamCount } from './event-streams.ts';
import { createPlainLoop } from './plain-loop.ts';
import { takeDatabase } from './kept-databases.ts';

export interface GraphQLAnswer<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly data: Data;
  readonly errors: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: { readonly code: string; readonly field?: string };
  }[];
}

/** An operation with the types of its answer and its variables, as generated from test/graphql/operations. */
type Typed<Data, Variables> = DocumentNode & { __apiType?: (variables: Variables) => Data };

export interface TestServer {
  readonly url: string;
  /** The first token of the account. It has every scope. */
  readonly token: string;
  readonly accountId: string;
  readonly secrets: Secrets;
  readonly service: Service;
  readonly ports: Ports;
  readonly databaseUrl: string;
  graphql<Data = Record<string, never>>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    token?: string | null,
  ): Promise<GraphQLAnswer<Data>>;
  /** Sends a typed operation with the first token, and returns its data. Throws if the API refuses the operation. */
  execute<Data, Variables>(operation: Typed<Data, Variables>, variables: Variables): Promise<Data>;
  rest(
    method: string,
    path: string,
    options?: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly token?: string | null;
    },
  ): Promise<Response>;
  /** Makes a user token of the first account that has only these scopes. */
  tokenWith(scopes: readonly Scope[], options?: { readonly expiresAt?: Date }): Promise<string>;
  /** Makes another account, and returns its first token. */
  otherAccount(name?: string): Promise<{ readonly token: string; readonly accountId: string }>;
  /**
   * Starts another server on the same database, with its own connections, caches and hub, like another process.
   * `machine`: its data directory, its URL of the database and its setting of mirrors, if they differ.
   */
  another(
    machine?: Pick<ServiceOptions, 'mirrors'> & { readonly dataDir?: string; readonly databaseUrl?: string },
  ): Promise<{ readonly url: string; readonly service: Service; close(): Promise<void> }>;
  /** Takes turns of the engine until no work can be done now. */
  drain(): Promise<void>;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Tests delete old records themselves (forget.ts), so that the service does not delete them in the middle of a test. */
const keepsAll = Object.fromEntries(retainedKinds.map((kind) => [kind, null])) as Retention;

const unreached = { perSecond: 1_000_000, burst: 1_000_000 };

export async function startServer(
  options: {
    readonly clock?: () => Date;
    /** A migrated database of the caller. */
    readonly databaseUrl?: string;
    readonly graphiqlDir?: string;
    /** Left out: the dashboard is not built. */
    readonly dashboardDir?: string;
    /** The port of the first server. Left out: a free port. */
    readonly port?: number;
    /** Left out: an address at which no server listens. */
    readonly publicUrl?: string;
    /** Left out: there is no OpenID provider. */
    readonly oidc?: OidcSettings;
    /** Left out: nothing is posted to Slack. */
    readonly slack?: SlackSettings;
    /** Left out: no proxy is trusted. */
    readonly trustsProxy?: TrustsProxy;
    /** Makes the sender of webhooks of each process. Left out: no webhooks are sent. */
    readonly webhooks?: () => Omit<WebhookOptions, 'secrets'>;
    /** The state of Temporal that the servers report. Left out: they report no state of Temporal. */
    readonly temporal?: TemporalView;
    /** Whether /readyz?deep has the invariants. Left out: no. */
    readonly showsInvariants?: boolean;
    /** `as usual`: the limits of the service. Left out: limits so high that no test reaches them. */
    readonly rateLimit?: 'as usual' | { readonly perSecond: number; readonly burst: number };
    /** Left out: the usual limits of sockets. */
    readonly socketLimits?: SocketLimits;
    /** The token that reads /metrics. Left out: only this machine may read /metrics. */
    readonly metricsToken?: string;
    /** The greatest number of queues with series of their own at /metrics. */
    readonly maxSeries?: number;
    /** How `drain` carries out the steps of runbooks. Left out: runbooks wait. */
    readonly runbooks?: RunbookDriving;
    /** Left out: only fatal errors are logged. */
    readonly log?: Logger;
  } = {},
): Promise<TestServer> {
  const database = options.databaseUrl === undefined ? await takeDatabase() : { url: options.databaseUrl };
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-server-'));
  const loop = createPlainLoop();
  loop.runbooks.driving = options.runbooks ?? null;
  const log = options.log ?? pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' });
  const secrets = generateSecrets();

  async function begin(
    machine: Pick<ServiceOptions, 'mirrors' | 'database'> & {
      readonly dataDir?: string;
      readonly databaseUrl?: string;
    } = {},
  ): Promise<{ url: string; service: Service; close(): Promise<void> }> {
    const service = await createService({
      databaseUrl: database.url,
      dataDir,
      ...machine,
      publicUrl: options.publicUrl ?? 'http://localhost:4000',
      log,
      wake: loop.wake,
      poolSize: 4,
      retention: keepsAll,
      ...(options.slack && { slack: { ...options.slack, secrets } }),
      ...(options.clock && { clock: options.clock }),
      ...(options.maxSeries !== undefined && { maxSeries: options.maxSeries }),
      ...(options.webhooks && { webhooks: { secrets, ...options.webhooks() } }),
    });
    service.start();
    const hub = withStreamCount(createEventHub({ db: service.ports.db, log }), () => server.url);
    const server = await startHttpServer({
      ports: service.ports,
      secrets,
      hub,
      port: options.port ?? 0,
      host: '127.0.0.1',
      overdue: service.overdue,
      ...(options.showsInvariants === true && { invariants: service.invariants }),
      metrics: { page: service.metricsPage, token: options.metricsToken ?? null },
      ...(options.temporal && { temporal: options.temporal }),
      ...(options.graphiqlDir && { graphiqlDir: options.graphiqlDir }),
      dashboardDir: options.dashboardDir ?? join(dataDir, 'no-dashboard'),
      ...(options.oidc && { oidc: options.oidc }),
      ...(options.trustsProxy && { trustsProxy: options.trustsProxy }),
      ...(options.socketLimits && { socketLimits: options.socketLimits }),
      ...(options.rateLimit !== 'as usual' && { rateLimit: options.rateLimit ?? unreached }),
      registerExtra: async (fastify, parts) =>
        await serveLocalGit(fastify, { ports: service.ports, localHost: service.localHost, ...parts }),
    });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await server.close();
      await hub.close();
      await service.stop();
    };
    return { url: server.url, service, close: async () => await (closing ??= close()) };
  }

  const main = await begin('database' in database ? { database: database.database } : {});
  const others: { close(): Promise<void> }[] = [];
  const { ports } = main.service;
  const account = await createAccount(ports, secrets, { name: 'acme', email: 'service@acme.test' });
  const headersOf = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };

  const server: TestServer = {
    url: main.url,
    token: account.token,
    accountId: account.accountId,
    secrets,
    service: main.service,
    ports,
    databaseUrl: database.url,
    async graphql(query, variables = {}, token = account.token) {
      const response = await fetch(`${main.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(token) },
        body: JSON.stringify({ query, variables }),
      });
      const text = await response.text();
      const { data, errors } = JSON.parse(text);
      return { status: response.status, headers: response.headers, text, data, errors: errors ?? [] };
    },
    async execute(operation, variables) {
      const answer = await server.graphql<never>(print(operation), variables as Readonly<Record<string, unknown>>);
      if (answer.errors.length > 0) throw new Error(answer.text);
      return answer.data;
    },
    async rest(method, path, { body, headers = {}, token = account.token } = {}) {
      const isText = typeof body === 'string';
      return await fetch(`${main.url}${path}`, {
        method,
        headers: {
          ...headersOf(token),
          ...(body !== undefined && !isText && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
    },
    async tokenWith(wanted, { expiresAt } = {}) {
      const authenticator = await createAuthenticator({ ports, secrets });
      try {
        const { ctx } = await authenticator.authenticateToken(account.token, 'test');
        return (
          await createApiToken(ctx, secrets, {
            name: 'Limited',
            kind: 'user',
            scopes: wanted,
            expiresAt: expiresAt ?? null,
          })
        ).token;
      } finally {
        await authenticator.close();
      }
    },
    otherAccount: async (name = 'other') =>
      await createAccount(ports, secrets, { name, email: `service@${name}.test` }),
    async another(machine = {}) {
      const other = await begin(machine);
      others.push(other);
      return other;
    },
    async drain() {
      await main.service.drain();
      await loop.run(ports);
    },
    rows: async (text, values = []) => await ports.db.system.query(text, values),
    async close() {
      for (const other of others) await other.close();
      await main.close();
      if ('drop' in database) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return server;
}

export const everyScopeBut = (...without: Scope[]): Scope[] => allScopes.filter((scope) => !without.includes(scope));
