// Starts a server and a worker in one process, with embedded PostgreSQL and Temporal, or with the servers that the user
// names.
import { chmod } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DestinationStream, Logger } from 'pino';
import { createSignInLinkAt, firstAccount, readSecrets } from './first-account.ts';
import { hostSettingsFrom } from './host-settings.ts';
import { clearDataDirectory } from './launcher/data-directory.ts';
import { githubServerFrom, logLevelFrom, publicUrlFrom, switchFrom } from './launcher/general-settings.ts';
import { assertGit } from './launcher/git-program.ts';
import { lockDataDirectory, removeAccess, writeAccess, type Access } from './launcher/access.ts';
import { boundLogFiles } from './launcher/log-files.ts';
import { assertPortFree, findFreePort } from './launcher/ports.ts';
import { openPostgres, openTemporal, prepareSchema, type Temporal } from './launcher/parts.ts';
import type { Progress } from './launcher/progress.ts';
import { removeRuntime, writeRuntime } from './launcher/runtime.ts';
import { StartError } from './launcher/start-error.ts';
import { temporalSecurityFrom } from './launcher/temporal-security.ts';
import { searchAttributes } from './launcher/temporal.ts';
import type { GitHubPerson } from './demo/host.ts';
import { startGitHub, type GitHubOption } from './github.ts';
import type { Ports } from './context.ts';
import type { Secrets } from './modules/accounts/index.ts';
import type { PushPace } from './hosts/github/index.ts';
import { createLog, openLogDestination, secretsOf } from './platform/logging.ts';
import { repeat } from './platform/repeat.ts';
import { networkFrom } from './providers.ts';
import type { Service } from './service.ts';
import {
  loadWorker,
  metricsTokenFrom,
  modelFrom,
  openServer,
  openService,
  openWorker,
  retentionFrom,
  runBoundsFrom,
  socketLimitsFrom,
} from './parts.ts';
import { temporalUiOf } from './temporal-watch.ts';
import { openTracing } from './tracing.ts';

export interface StartOptions {
  readonly dataDir: string;
  /** 0: a free port is chosen. */
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | null;
  readonly temporalAddress: string | null;
  /** Whether the content of the data directory is deleted before the start. */
  readonly reset: boolean;
  /** How many checks run at once. */
  readonly ciConcurrency: number;
  /** Absent: no new connection to GitHub is made. */
  readonly github?: GitHubOption | null;
  /** How fast pushes to GitHub may follow each other. Default: as GitHub recommends. */
  readonly pushPace?: PushPace;
}

export interface Interlock extends Access {
  /** Whether the database had no account, so that the account and its token are new. */
  readonly isNew: boolean;
  readonly sandbox: string;
  readonly agent: string;
  /** Makes a link that signs a browser in, once and within 15 minutes. Null: the token of the account is unknown. */
  signInLink(next?: string): Promise<string | null>;
  /** Lines of output about GitHub for the user. */
  readonly githubLines: readonly string[];
  /** A person at the emulator of GitHub. Null: there is no emulator. */
  readonly githubPerson: GitHubPerson | null;
  /** Resolves if a part has ended without a request to stop, with a sentence that names the part. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

type Stop = () => Promise<void>;

const hourMs = 3_600_000;

interface Starting {
  readonly dataDir: string;
  readonly stops: Stop[];
  readonly progress: Progress;
  /** Reports `sentence` when `exited` settles, unless Interlock is being stopped. */
  readonly watch: (exited: Promise<unknown> | null, sentence: string) => void;
}

export async function startInterlock(options: StartOptions, progress: Progress): Promise<Interlock> {
  const dataDir = resolve(options.dataDir);
  await assertGit();
  // The directory is locked first, so that a second start reports the running Interlock instead of a port that is in
  // use.
  const lock = await lockDataDirectory(dataDir);
  const stops: Stop[] = [async () => await lock.release()];
  const loss = Promise.withResolvers<string>();
  let isStopping = false;
  // Parts stop in reverse order, so that no request is answered without the database.
  const stop = async (): Promise<void> => {
    isStopping = true;
    await Promise.all([removeAccess(dataDir), removeRuntime(dataDir)]);
    for (const part of stops.splice(0).toReversed())
      await part().catch((error: unknown) =>
        progress.say(`A part of Interlock failed while it stopped: ${String(error)}`),
      );
  };
  const watch: Starting['watch'] = (exited, sentence) => {
    const lose = (): void => {
      if (!isStopping) loss.resolve(sentence);
    };
    exited?.then(lose, lose);
  };
  try {
    // Reads all settings, so that wrong settings are reported before any part is started.
    modelFrom(process.env);
    runBoundsFrom(process.env);
    retentionFrom(process.env);
    hostSettingsFrom(process.env);
    metricsTokenFrom(process.env);
    socketLimitsFrom(process.env);
    publicUrlFrom(process.env, '');
    logLevelFrom(process.env, 'warn');
    switchFrom(process.env, 'DEPLOYMENT_NETWORK');
    switchFrom(process.env, 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES');
    temporalUiOf({ namespace: '' }, process.env);
    const port = await choosePort(options);
    const started = await startParts({ ...options, port }, { dataDir, stops, progress, watch });
    return { ...started, lost: loss.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function choosePort({ port, host }: StartOptions): Promise<number> {
  if (port === 0) return await findFreePort();
  await assertPortFree(port, '--port', host).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof StartError) throw error;
    throw new StartError(`Interlock cannot listen on ${host} (${error.code}). Correct --host (INTERLOCK_HOST).`);
  });
  return port;
}

async function startParts(options: StartOptions, starting: Starting): Promise<Omit<Interlock, 'stop' | 'lost'>> {
  const { dataDir, stops, progress } = starting;
  if (options.reset) await clearDataDirectory(dataDir);
  // Other users may enter the directory, because the database's user must. Each secret file in it has a mode that
  // protects it.
  await chmod(dataDir, 0o711).catch(() => {
    throw new StartError(`${dataDir} belongs to another user. Name another directory by --data <dir>.`);
  });
  stops.push(await openTracing(process.env, 'all'));
  await boundLogFiles(dataDir);
  const log = createLog({
    level: logLevelFrom(process.env, 'warn'),
    secrets: secretsOf({ ...process.env, DATABASE_URL: options.databaseUrl ?? '' }),
    destination: await openLog(join(dataDir, 'interlock.log')),
  });
  const bounding = repeat(
    hourMs,
    async () => await boundLogFiles(dataDir),
    (error) => log.error({ error: String(error) }, 'A log could not be shortened.'),
  );
  bounding.start();
  stops.push(async () => await bounding.stop());
  const secrets = await readSecrets(dataDir);
  const [[databaseUrl, temporal]] = await Promise.all([
    both(startDatabase(options, starting), startTemporalServer(options, starting)),
    // Most of the start of the servers is waiting.
    loadWorker(),
  ]);
  const service = await progress.part(
    'Server and worker',
    async () =>
      await startService({ options, dataDir, databaseUrl, temporal, secrets, log, stops, watch: starting.watch }),
  );
  const { isNew, token } = await firstAccount(service.ports, secrets, { dataDir, url: service.url, say: progress.say });
  const github = await connectGitHub(options, starting, { service: service.service, secrets });
  const access = { url: service.url, token, temporalUi: temporalUiOf(temporal, process.env) ?? '' };
  await writeAccess(dataDir, access);
  const signInLink = async (next = '/'): Promise<string | null> => await createSignInLinkAt(access, next);
  return { ...access, isNew, ...github, sandbox: service.sandbox, agent: service.agent, signInLink };
}

async function connectGitHub(
  { github, dataDir: named }: StartOptions,
  { dataDir, stops, progress, watch }: Starting,
  given: { readonly service: Service; readonly secrets: Secrets },
): Promise<Pick<Interlock, 'githubLines' | 'githubPerson'>> {
  if (!github) return { githubLines: [], githubPerson: null };
  const started = await progress.part('GitHub', async () => await startGitHub(github, { ...given, dataDir }));
  stops.push(started.stop);
  watch(
    started.exited,
    `The emulator of GitHub has ended (the end of ${join(named, 'github-emulator.log')} says why).`,
  );
  return { githubLines: started.lines, githubPerson: started.person };
}

/** Opens the log so that only its owner can read it, even if an earlier version made the file readable for others. */
async function openLog(file: string): Promise<DestinationStream> {
  if (existsSync(file)) await chmod(file, 0o600);
  return openLogDestination({ dest: file, mode: 0o600 });
}

/** Waits for both promises, even if one of them fails, so that both parts can be stopped. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return [first.value, second.value];
}

async function startDatabase(options: StartOptions, { dataDir, stops, progress, watch }: Starting): Promise<string> {
  const database = await progress.part(
    'PostgreSQL',
    async () => await openPostgres(options.databaseUrl ?? undefined, { dataDir, log: progress.say }),
  );
  // Stops run from the end of the list. The database must stop after all parts that use it, and before the lock is
  // released.
  stops.splice(1, 0, database.stop);
  watch(database.exited, `PostgreSQL has ended (the end of ${join(options.dataDir, 'postgres.log')} says why).`);
  await progress.part('Schema', async () => await prepareSchema(database.url, progress.say));
  await writeRuntime(dataDir, { databaseUrl: database.url });
  return database.url;
}

async function startTemporalServer(
  options: StartOptions,
  { dataDir, stops, progress, watch }: Starting,
): Promise<Temporal> {
  const namespace = options.temporalAddress === null ? 'interlock' : (process.env['TEMPORAL_NAMESPACE'] ?? 'default');
  const temporal = await progress.part(
    'Temporal',
    async () =>
      await openTemporal(options.temporalAddress ?? undefined, {
        dataDir,
        namespace,
        searchAttributes,
        security: temporalSecurityFrom(process.env),
        hasEmbedded: true,
        log: progress.say,
      }),
  );
  stops.splice(1, 0, temporal.stop);
  watch(temporal.exited, `Temporal has ended (the end of ${join(options.dataDir, 'temporal.log')} says why).`);
  return temporal;
}

interface ServiceParts extends Pick<Starting, 'dataDir' | 'stops' | 'watch'> {
  readonly options: StartOptions;
  readonly databaseUrl: string;
  readonly temporal: Temporal;
  readonly secrets: Secrets;
  readonly log: Logger;
}

interface StartedService extends Pick<Interlock, 'url' | 'sandbox' | 'agent'> {
  readonly ports: Ports;
  readonly service: Service;
}

async function startService(parts: ServiceParts): Promise<StartedService> {
  const { options, dataDir, databaseUrl, temporal, secrets, log, stops, watch } = parts;
  const url = `http://${reachableHost(options.host)}:${options.port}`;
  const publicUrl = publicUrlFrom(process.env, url);
  const pace = options.pushPace === undefined ? {} : { pushPace: options.pushPace };
  // One process runs all parts on one data directory, so this directory is kept, whatever GITHUB_MIRRORS says.
  const installation = {
    ...{ databaseUrl, temporal, dataDir, publicUrl, secrets, log, ...pace },
    sharesDataDirectory: true,
  };
  const service = await openService(installation);
  stops.push(async () => await service.stop());
  await service.recover();
  const worker = await openWorker(service, installation, {
    ci: { concurrency: options.ciConcurrency, allowPlain: true },
    network: networkFrom(switchFrom(process.env, 'DEPLOYMENT_NETWORK'), service.ports),
  });
  stops.push(async () => await worker.stop());
  watch(worker.ended, `The Temporal worker ended (interlock.log in ${options.dataDir} says why).`);
  const server = await openServer(service, installation, {
    ...options,
    githubServer: serverOf(options.github ?? null),
  });
  stops.push(async () => await server.close());
  service.start();
  return { url, sandbox: worker.sandbox, agent: worker.agent, ports: service.ports, service };
}

/** The server of GitHub that the operator names. Null: the operator names none. */
function serverOf(github: GitHubOption | null): string | null {
  if (github?.kind === 'app') return github.server;
  return github === null ? githubServerFrom(process.env) : `http://127.0.0.1:${github.port}`;
}

/** The host name by which a client on this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
