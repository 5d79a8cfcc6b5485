// Runs servers and workers as separate processes, on a PostgreSQL and a Temporal of the operator: `node
// dist/programs/production.js server` and `… worker`, any number of each. `… migrate` migrates the database before an
// upgrade. `… account` makes an account and prints its token. `… lost-repositories` deactivates repositories of which the
// data directory has nothing.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { makeDataDirectory } from './launcher/data-directory.ts';
import { assertGit } from './launcher/git-program.ts';
import { nameHelpInErrors } from './launcher/called-as.ts';
import { assertPortFree } from './launcher/ports.ts';
import { checkDatabase, openTemporal, prepareSchema } from './launcher/parts.ts';
import { hostSettingsFrom } from './host-settings.ts';
import { giveUpLostRepositories } from './lost-repositories.ts';
import { readSecretFiles } from './launcher/secret-files.ts';
import { githubServerFrom, logLevelFrom, publicUrlFrom, switchFrom } from './launcher/general-settings.ts';
import { StartError } from './launcher/start-error.ts';
import { stopOnSignals } from './launcher/stop-signals.ts';
import { temporalSecurityFrom } from './launcher/temporal-security.ts';
import { searchAttributes } from './launcher/temporal.ts';
import type { Part } from './domain/health/parts.ts';
import { findMissingRepositories } from './hosts/local/index.ts';
import { createAccount } from './modules/accounts/index.ts';
import {
  assertSecret,
  metricsTokenFrom,
  openServer,
  openService,
  openWorker,
  secretsFrom,
  type Installation,
} from './parts.ts';
import { closeInheritedDescriptors } from './platform/spawning/inherited.ts';
import { createLog, secretsOf } from './platform/logging.ts';
import { printFailure } from './run-tool.ts';
import { createService, type Service } from './service.ts';
import { watchTemporal } from './temporal-watch.ts';
import { openTracing } from './tracing.ts';
import { partsOfWorker, serveWorkerHealth } from './worker-health.ts';

interface Flags {
  readonly databaseUrl?: string;
  readonly temporalAddress?: string;
  readonly data: string;
  readonly port: number;
  readonly host: string;
}

interface WorkerFlags extends Flags {
  readonly ci: boolean;
  readonly ciConcurrency: number;
  readonly unsafeCi: boolean;
}

interface AccountFlags extends Flags {
  readonly name: string;
  readonly email: string;
}

interface LostFlags extends Flags {
  readonly yes: boolean;
}

type Stop = () => Promise<void>;

interface Running {
  /** Resolves if a part has ended by itself, with a sentence that names the part. Null: no part can end by itself. */
  readonly lost: Promise<string> | null;
}

// This is longer than the time that a worker gives its running work to end. So the worker can give the work back before
// the process ends.
const longestStopMs = 30_000;

const program = new Command('node dist/programs/production.js').description(
  'Interlock in parts: servers and workers on your own PostgreSQL and Temporal.',
);

withInstallation(program.command('server').description('Serves GraphQL, REST, subscriptions and git over HTTP.'))
  .addOption(numberOption('--port <n>', 'port of the API', 4000).env('PORT'))
  .addOption(new Option('--host <address>', 'address to listen on').default('0.0.0.0').env('INTERLOCK_HOST'))
  .action(async (flags: Flags) => await run(async (stops) => await runServer(flags, stops)));

withInstallation(program.command('worker').description('Runs workflows, their activities, and checks.'))
  .addOption(numberOption('--port <n>', 'port of /healthz and /readyz', 4001).env('PORT'))
  .addOption(new Option('--host <address>', 'address to listen on').default('0.0.0.0').env('INTERLOCK_HOST'))
  .option('--no-ci', 'run no checks here')
  .addOption(concurrencyOption())
  .option('--unsafe-ci', 'run checks as plain processes where there is no sandbox', false)
  .action(async (flags: WorkerFlags) => await run(async (stops) => await runWorker(flags, stops)));

withDatabaseUrl(
  program.command('migrate').description('Brings the schema of the database up to date, and ends.'),
).action(async (flags: Pick<Flags, 'databaseUrl'>) => await migrateDatabase(flags));

withDatabase(
  program.command('account').description('Makes an account, and prints a token of the account with every scope.'),
)
  .requiredOption('--name <name>', 'name of the account')
  .requiredOption('--email <address>', 'email address in the commits of the account')
  .action(async (flags: AccountFlags) => await makeAccount(flags));

withDatabase(
  program
    .command('lost-repositories')
    .description(
      'Lists the active repositories of the local host that the data directory does not have. With --yes it deactivates them, so that servers and workers start without them.',
    ),
)
  .option('--yes', 'deactivate the repositories; without --yes, only list them', false)
  .action(async (flags: LostFlags) => await deactivateLost(flags));

function withInstallation(command: Command): Command {
  return withDatabase(command).addOption(
    new Option('--temporal-address <host:port>', 'your Temporal').env('TEMPORAL_ADDRESS'),
  );
}

function withDatabase(command: Command): Command {
  return withDatabaseUrl(command).addOption(
    new Option('--data <dir>', 'directory in which all servers and workers keep repositories')
      .default('.interlock')
      .env('INTERLOCK_DATA'),
  );
}

function withDatabaseUrl(command: Command): Command {
  return command.addOption(new Option('--database-url <url>', 'your PostgreSQL').env('DATABASE_URL'));
}

function numberOption(flag: string, description: string, otherwise: number): Option {
  return new Option(flag, description).default(otherwise).argParser((text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
    throw new StartError(`${flag.split(' ')[0]} must be a number from 0 to 65535, not ${text}.`);
  });
}

function concurrencyOption(): Option {
  const otherwise = Math.max(2, availableParallelism());
  return new Option('--ci-concurrency <n>', 'checks at once').default(otherwise).argParser((text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1) return number;
    throw new StartError(
      `--ci-concurrency must be a number from 1, not ${text}. A worker with --no-ci instead runs no checks.`,
    );
  });
}

type Shared = Omit<Installation, 'temporal' | 'publicUrl'>;

/** Opens what servers, workers and `account` need. Ensures that the database answers and has the newest schema. */
async function openShared({ databaseUrl, data }: Flags): Promise<Shared> {
  const secret = process.env['INTERLOCK_SECRET'];
  if (databaseUrl === undefined) throw missingDatabase();
  if (secret === undefined)
    throw missing('INTERLOCK_SECRET', '32 characters at least, the same for every server and worker');
  const secrets = secretsFrom(secret);
  const dataDir = resolve(data);
  await assertGit();
  await makeDataDirectory(dataDir);
  const log = createLog({
    level: logLevelFrom(process.env, 'info'),
    secrets: secretsOf({ ...process.env, DATABASE_URL: databaseUrl }),
  });
  await checkDatabase(databaseUrl);
  await prepareSchema(databaseUrl, (line) => log.warn(line));
  return { databaseUrl, dataDir, secrets, log };
}

async function findInstallation(flags: Flags): Promise<Installation> {
  const { temporalAddress: address, port } = flags;
  if (address === undefined)
    throw missing('TEMPORAL_ADDRESS (--temporal-address)', 'the Temporal that all servers and workers share');
  return {
    ...(await openShared(flags)),
    temporal: {
      address,
      namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
      security: temporalSecurityFrom(process.env),
    },
    publicUrl: publicUrlFrom(process.env, `http://127.0.0.1:${port}`),
  };
}

const missingDatabase = (): StartError =>
  missing('DATABASE_URL (--database-url)', 'the PostgreSQL that all servers and workers share');

function missing(name: string, what: string): StartError {
  return new StartError(`${name} is missing: ${what}. On one machine, npm start needs no such setting.`);
}

/**
 * Throws StartError if the data directory has none of the repositories that all processes share, for example because its
 * file system is not mounted. The process would fail with every repository, and make new ones that no other process has.
 */
async function assertRepositories({ localHost }: Service, { dataDir }: Shared): Promise<void> {
  const missing = await findMissingRepositories(localHost.installation);
  if (missing.length > 0)
    throw new StartError(
      `The data directory ${dataDir} has none of the repositories of the local host that the database has: ${missing.join(', ')}. Mount the directory of the other servers and workers, or name it by --data (INTERLOCK_DATA). If the repositories are lost, restore them from a backup. Without a backup, node dist/programs/production.js lost-repositories says what is lost, and how to start without these repositories.`,
    );
}

async function runServer(flags: Flags, stops: Stop[]): Promise<Running> {
  await assertPortFree(flags.port, '--port', flags.host);
  const installation = await findInstallation(flags);
  stops.push(async () => installation.log.info('The server has stopped.'));
  stops.push(await openTracing(process.env, 'server'));
  const service = await openService(installation);
  stops.push(async () => await service.stop());
  await assertSecret(service.ports, installation.secrets);
  await assertRepositories(service, installation);
  const server = await openServer(service, installation, {
    ...flags,
    githubServer: githubServerFrom(process.env),
  });
  stops.push(async () => await server.close());
  service.start();
  installation.log.info({ url: server.url }, 'The server is ready.');
  return { lost: null };
}

async function runWorker(flags: WorkerFlags, stops: Stop[]): Promise<Running> {
  await assertPortFree(flags.port, '--port', flags.host);
  const installation = await findInstallation(flags);
  const { dataDir, temporal, log } = installation;
  stops.push(async () => log.info('The worker has stopped.'));
  stops.push(await openTracing(process.env, 'worker'));
  await openTemporal(temporal.address, { ...temporal, dataDir, searchAttributes, log: () => {} });
  const service = await openService(installation);
  stops.push(async () => await service.stop());
  await assertSecret(service.ports, installation.secrets);
  await assertRepositories(service, installation);
  const ci = flags.ci ? { concurrency: flags.ciConcurrency, allowPlain: flags.unsafeCi } : null;
  // Commands have no network by default, because they could reach the operator's other servers. The operator must allow
  // it.
  const network = switchFrom(process.env, 'DEPLOYMENT_NETWORK') ?? false;
  const worker = await openWorker(service, installation, { ci, network });
  const watch = watchTemporal({ ...temporal, ui: null, log, clock: service.ports.clock });
  stops.push(async () => await watch.stop());
  watch.start();
  const parts = async (): Promise<readonly Part[]> =>
    await partsOfWorker(service.ports.db, { isRunning: worker.isRunning(), temporal: watch.health() });
  const health = await serveWorkerHealth({
    ...flags,
    parts,
    overdue: service.overdue,
    invariants: service.invariants,
    metrics: {
      page: service.metricsPage,
      token: metricsTokenFrom(process.env),
      publicUrl: installation.publicUrl,
      temporal: watch.health,
    },
    log,
  });
  // The health server closes after the worker, so that it reports "not ready" while the worker finishes its running
  // work.
  stops.push(async () => await health.close());
  stops.push(async () => await worker.stop());
  service.start();
  log.info({ url: health.url, sandbox: worker.sandbox, agent: worker.agent }, 'The worker is ready.');
  const lost = worker.ended.then(
    () => 'The Temporal worker ended.',
    (error: unknown) => `The Temporal worker failed: ${String(error)}`,
  );
  return { lost };
}

/**
 * Starts the parts, and stops them in reverse order: at a signal, or with exit code 1 if a part has ended by itself.
 */
async function run(start: (stops: Stop[]) => Promise<Running>): Promise<void> {
  const stops: Stop[] = [];
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    const stopping = (async () => {
      for (const part of stops.splice(0).toReversed())
        await part().catch((error: unknown) =>
          console.error(`A part of Interlock failed while it stopped: ${String(error)}`),
        );
    })();
    await Promise.race([stopping, delay(longestStopMs, undefined, { ref: false })]);
  };
  stopOnSignals({ stop });
  const { lost } = await start(stops);
  void lost?.then(async (sentence) => {
    if (isStopping) return;
    console.error(sentence);
    await stop();
    process.exit(1);
  });
}

/**
 * Migrates the database. Servers and workers do the same when they start. An orchestrator runs this first, so that the
 * exit code shows a failed migration.
 */
async function migrateDatabase({ databaseUrl }: Pick<Flags, 'databaseUrl'>): Promise<void> {
  if (databaseUrl === undefined) throw missingDatabase();
  await checkDatabase(databaseUrl);
  await prepareSchema(databaseUrl, console.log);
  console.log('The schema is up to date.');
}

async function makeAccount(flags: AccountFlags): Promise<void> {
  await withService(flags, {}, async ({ ports }, { secrets }) => {
    const { token } = await createAccount(ports, secrets, flags);
    console.log(token);
  });
}

async function deactivateLost(flags: LostFlags): Promise<void> {
  await withService(flags, hostSettingsFrom(process.env), async (service, { dataDir }) => {
    for (const line of await giveUpLostRepositories(service, dataDir, flags)) console.log(line);
  });
}

/**
 * Does the work with a service, and stops it. The service makes no links and sends no wakes: the relay of the next worker
 * finds the changed rows.
 */
async function withService(
  flags: Flags,
  settings: Partial<ReturnType<typeof hostSettingsFrom>>,
  work: (service: Service, shared: Shared) => Promise<void>,
): Promise<void> {
  const shared = await openShared(flags);
  const service = await createService({ ...shared, ...settings, publicUrl: '', wake: async () => {}, poolSize: 2 });
  try {
    await assertSecret(service.ports, shared.secrets);
    await work(service, shared);
  } finally {
    await service.stop();
  }
}

async function main(): Promise<void> {
  readSecretFiles(process.env);
  nameHelpInErrors(program, program.name());
  await program.parseAsync();
}

closeInheritedDescriptors();
main().catch((error: unknown) => {
  printFailure(error);
  process.exit(1);
});
