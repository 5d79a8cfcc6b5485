// Opens the server and the worker of an installation. Under `npm start` both are in one process, otherwise each is in a
// process of its own.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Ports } from './context.ts';
import { OidcSettingsRefused, readOidcSettings, type OidcSettings } from './domain/accounts/oidc-settings.ts';
import { defaultStepLimitMs } from './domain/runbooks/drive.ts';
import { readRetention, RetentionRefused, type Retention } from './domain/retention/catalogue.ts';
import { readMinutes, readRunBounds, RunBoundsRefused, type RunBounds } from './domain/runs/bounds.ts';
import { readPushBounds, type PushBounds } from './domain/runs/push-bounds.ts';
import { readSlackSettings, SlackSettingsRefused, type SlackSettings } from './domain/slack/settings.ts';
import { readSocketLimits, SocketLimitsRefused, type SocketLimits } from './graphql/socket-limits.ts';
import { hostSettingsFrom } from './host-settings.ts';
import { parseJson } from './launcher/durable-file.ts';
import { switchFrom } from './launcher/general-settings.ts';
import { StartError } from './launcher/start-error.ts';
import type { TemporalSecurity } from './launcher/temporal-security.ts';
import type { PushPace } from './hosts/github/index.ts';
import { areSecretsOfInstallation, deriveSecrets, type Secrets } from './modules/accounts/index.ts';
import { createEventHub } from './modules/events/index.ts';
import { ModelSettingsRefused, readModelSettings, type ModelSettings } from './platform/agents/index.ts';
import { createHttpOut, type HttpOut } from './platform/http-out/index.ts';
import { projectRoot } from './platform/project-root.ts';
import { previewOptionsFrom } from './previews.ts';
import type { ProviderOptions } from './providers.ts';
import { serveGitHub } from './server/github.ts';
import { serveLocalGit } from './server/local-git.ts';
import { startServer, type Server } from './server.ts';
import { readTrustedProxies, TrustedProxiesRefused, type TrustsProxy } from './server/client-address.ts';
import { createService, type Service } from './service.ts';
import { connectTemporal } from './temporal.ts';
import { temporalUiOf, watchTemporal } from './temporal-watch.ts';
import type { RunningWorker, startWorker, WorkerOptions } from './worker.ts';

/** The settings that all servers and workers of an installation share. */
export interface Installation {
  readonly databaseUrl: string;
  readonly temporal: {
    readonly address: string;
    readonly namespace: string;
    /** Absent: connections are plain. */
    readonly security?: TemporalSecurity;
    /** The address of Temporal's UI. Null or absent: the value of TEMPORAL_UI_URL is used, if it is set. */
    readonly uiUrl?: string | null;
  };
  readonly dataDir: string;
  /** The URL with which links in answers and checks begin. */
  readonly publicUrl: string;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly pushPace?: PushPace;
  /** Whether all processes have the same data directory. Absent: GITHUB_MIRRORS decides. */
  readonly sharesDataDirectory?: boolean;
}

/** Creates the service without starting it. Stopping the service also closes the connection to Temporal. */
export async function openService(installation: Installation): Promise<Service> {
  const { secrets, log, temporal } = installation;
  const client = connectTemporal({ ...temporal, log });
  const http = openHttp();
  try {
    const webhooks = { secrets, http, retry: client.retryDelivery };
    const service = await createService({
      ...installation,
      wake: client.wake,
      plansBeforeWake: true,
      webhooks,
      slack: { ...slackFrom(process.env), secrets },
      ...hostSettingsFrom(process.env),
      runbookAgent: process.env['RUNBOOK_MODEL'] ? 'model' : 'script',
      maxSeries: maxSeriesFrom(process.env),
      retention: retentionFrom(process.env),
    });
    service.metrics.measureProcess();
    const stop = async (): Promise<void> => {
      await service.stop();
      await client.close();
    };
    return { ...service, stop };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The client for addresses that users enter. */
function openHttp(): HttpOut {
  return createHttpOut({ allowPrivateAddresses: switchFrom(process.env, 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES') ?? false });
}

export interface ServerSettings {
  readonly port: number;
  readonly host: string;
  /** A server of GitHub Enterprise on which accounts may have Apps, besides GitHub's own. Null: there is none. */
  readonly githubServer: string | null;
}

export async function openServer(
  service: Service,
  { secrets, log, temporal }: Installation,
  { port, host, githubServer }: ServerSettings,
): Promise<Server> {
  const bounds = runBoundsFrom(process.env);
  const trustsProxy = trustedProxiesFrom(process.env);
  const ui = temporalUiOf(temporal, process.env);
  const hub = createEventHub({ db: service.ports.db, log });
  const watch = watchTemporal({ ...temporal, ui, log, clock: service.ports.clock });
  try {
    const server = await startServer({
      port,
      host,
      trustsProxy,
      socketLimits: socketLimitsFrom(process.env),
      oidc: oidcFrom(process.env),
      githubServers: githubServer === null ? [] : [githubServer],
      ports: service.ports,
      secrets,
      hub,
      overdue: service.overdue,
      invariants: service.invariants,
      temporal: watch,
      frameAncestors: frameAncestorsFrom(process.env),
      metrics: { page: service.metricsPage, token: metricsTokenFrom(process.env) },
      registerExtra: async (fastify, parts) => {
        await serveLocalGit(fastify, { ports: service.ports, localHost: service.localHost, bounds, ...parts });
        await serveGitHub(fastify, { ...service, secrets });
      },
    });
    watch.start();
    const close = async (): Promise<void> => {
      await server.close();
      await hub.close();
      await watch.stop();
    };
    return { ...server, close };
  } catch (error) {
    await hub.close();
    await watch.stop();
    throw error;
  }
}

/** Loads Temporal's library of workers, which takes a quarter of the CPU of a start. A server does not need it. */
export async function loadWorker(): Promise<{ readonly startWorker: typeof startWorker }> {
  return await import('./worker.ts');
}

export async function openWorker(
  service: Service,
  { temporal, secrets }: Installation,
  { ci, network }: Pick<WorkerOptions, 'ci'> & Pick<ProviderOptions, 'network'>,
): Promise<RunningWorker> {
  const library = await loadWorker();
  const bundle = join(projectRoot, 'dist', 'workflow-bundle.js');
  const http = openHttp();
  const model = modelFrom(process.env);
  const bounds = runBoundsFrom(process.env);
  const worker = await library.startWorker({
    service,
    temporal,
    workflowBundle: existsSync(bundle) ? bundle : null,
    ci,
    providers: { secrets, http, network },
    previews: previewOptionsFrom(process.env, model),
    agents: { model, stepLimitMs: bounds.stepLimitMs },
    bounds,
    measuresSdk: true,
  });
  const stop = async (): Promise<void> => {
    await worker.stop();
    http.close();
  };
  return { ...worker, stop };
}

/**
 * The model that executes runbooks, from RUNBOOK_MODEL and related variables. Null: no model is configured, and prompts
 * are scripts.
 */
export function modelFrom(env: NodeJS.ProcessEnv): ModelSettings | null {
  try {
    return readModelSettings(env);
  } catch (error) {
    if (error instanceof ModelSettingsRefused) throw new StartError(error.message);
    throw error;
  }
}

/** The bounds of commands, pushes and steps of runbooks, from RUN_PROCESSES and related variables. */
export function runBoundsFrom(env: NodeJS.ProcessEnv): RunBounds & PushBounds & { readonly stepLimitMs: number } {
  try {
    const stepLimitMs = readMinutes(env, 'RUNBOOK_STEP_MINUTES', defaultStepLimitMs / 60_000);
    return { ...readRunBounds(env), ...readPushBounds(env), stepLimitMs };
  } catch (error) {
    if (error instanceof RunBoundsRefused) throw new StartError(error.message);
    throw error;
  }
}

/** How long each kind of record is kept, from KEEP_EVENTS_DAYS and related variables. */
export function retentionFrom(env: NodeJS.ProcessEnv): Retention {
  try {
    return readRetention(env);
  } catch (error) {
    if (error instanceof RetentionRefused) throw new StartError(error.message);
    throw error;
  }
}

/** The token for /metrics, from INTERLOCK_METRICS_TOKEN. Null: only clients on this machine may read. */
export function metricsTokenFrom(env: NodeJS.ProcessEnv): string | null {
  const token = env['INTERLOCK_METRICS_TOKEN'] ?? '';
  if (token === '') return null;
  if (!/^\S{16,}$/.test(token))
    throw new StartError('INTERLOCK_METRICS_TOKEN must have at least 16 characters, and no spaces.');
  return token;
}

function maxSeriesFrom(env: NodeJS.ProcessEnv): number {
  const text = env['INTERLOCK_METRICS_QUEUES'] ?? '100';
  if (!/^\d{1,4}$/.test(text))
    throw new StartError(`INTERLOCK_METRICS_QUEUES must be a number from 0 to 9999, not ${text}.`);
  return Number(text);
}

/** The OpenID provider at which people sign in, from OIDC_ISSUER and related variables. Null: there is none. */
export function oidcFrom(env: NodeJS.ProcessEnv): OidcSettings | null {
  try {
    return readOidcSettings(env);
  } catch (error) {
    if (error instanceof OidcSettingsRefused) throw new StartError(error.message);
    throw error;
  }
}

/** The settings of Slack, from SLACK_API_URL, SLACK_BOT_TOKEN and SLACK_CHANNELS. */
function slackFrom(env: NodeJS.ProcessEnv): SlackSettings {
  try {
    return readSlackSettings(env);
  } catch (error) {
    if (error instanceof SlackSettingsRefused) throw new StartError(error.message);
    throw error;
  }
}

function trustedProxiesFrom(env: NodeJS.ProcessEnv): TrustsProxy | null {
  try {
    return readTrustedProxies(env['TRUST_PROXY']);
  } catch (error) {
    if (error instanceof TrustedProxiesRefused) throw new StartError(error.message);
    throw error;
  }
}

/** The limits of sockets, from SOCKETS_PER_ACCOUNT and SOCKETS_PER_ADDRESS. */
export function socketLimitsFrom(env: NodeJS.ProcessEnv): SocketLimits {
  try {
    return readSocketLimits(env);
  } catch (error) {
    if (error instanceof SocketLimitsRefused) throw new StartError(error.message);
    throw error;
  }
}

/** Sites that may show embedded queues in a frame, from EMBED_FRAME_ANCESTORS. `'none'`: no site may. */
export function frameAncestorsFrom(env: NodeJS.ProcessEnv): string {
  const sites = (env['EMBED_FRAME_ANCESTORS'] ?? '').split(/\s+/).filter((site) => site !== '');
  const wrong = sites.find((site) => !/^(?:\*|'self'|https?:\/\/(?:\*\.)?[\w.-]+(?::\d+)?)$/.test(site));
  if (wrong !== undefined)
    throw new StartError(
      `EMBED_FRAME_ANCESTORS must be sites with spaces between them, such as https://wiki.example.com https://*.example.org, not ${wrong}.`,
    );
  return sites.length === 0 ? "'none'" : sites.join(' ');
}

/** Reads the secrets from INTERLOCK_SECRET, or from the data directory of `npm start`. Null: neither has them. */
export async function readStoredSecrets(dataDir: string): Promise<Secrets | null> {
  const given = process.env['INTERLOCK_SECRET'];
  if (given !== undefined) return secretsFrom(given);
  const text = await readFile(join(dataDir, 'secrets.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const stored = parseJson(text) as Secrets | null;
  if (stored === null)
    throw new StartError(
      `${join(dataDir, 'secrets.json')} is empty or damaged. Restore it from a backup. Without it, tokens, sessions and stored secrets are lost: to go on without them, remove the file.`,
    );
  return stored;
}

/**
 * Throws StartError if these are not the secrets of the installation. A process with other secrets would refuse every
 * token and sign proofs with a key of its own.
 */
export async function assertSecret(ports: Pick<Ports, 'db'>, secrets: Secrets): Promise<void> {
  if (!(await areSecretsOfInstallation(ports, secrets)))
    throw new StartError(
      'INTERLOCK_SECRET is not the secret of this installation: its account token that was used last was made with another secret. Give this process the secret of the other servers and workers. docs/operations.md says what to do if the secret is lost.',
    );
}

/** Derives the secrets with which tokens are checked from INTERLOCK_SECRET. */
export function secretsFrom(given: string): Secrets {
  try {
    return deriveSecrets(given);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}
