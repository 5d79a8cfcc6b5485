// The embedded PostgreSQL server. Its cluster is made once for each data directory. The server starts and stops with
// this process.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { defaultCacheDirectory } from './cache-directory.ts';
import { replaceFile } from './durable-file.ts';
import { type GuardedProcess, spawnGuarded, waitUntilReady } from './guarded-process.ts';
import { assertPortFree, chooseFreePort, isPortFree } from './ports.ts';
import { type PostgresBinaries, installPostgresBinaries } from './postgres-binaries.ts';
import {
  type DatabaseUser,
  assertClusterPresent,
  clusterDirectory,
  isCluster,
  pickDatabaseUser,
  portFileOf,
  withSecretFile,
} from './postgres-cluster.ts';
import { processCommandLine, waitForExit } from './processes.ts';
import type { Say } from './progress.ts';
import { StartError } from './start-error.ts';

export interface PostgresOptions {
  readonly dataDir: string;
  /** Default: the port of the last start if it is free, otherwise another free port. */
  readonly port?: number;
  readonly cacheDir?: string;
  /** For tests only: the server is faster, without durability and passwords, and only reachable by a Unix socket. */
  readonly fast?: boolean;
  readonly log: Say;
}

export interface EmbeddedPostgres {
  /** The URL of the database `interlock`, for its owner. It contains the password. */
  readonly url: string;
  readonly port: number;
  /** Settles when the server has ended for any reason. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

interface Cluster {
  readonly folder: string;
  /** The folder that contains `folder` and the socket. */
  readonly home: string;
  readonly fast: boolean;
  readonly password: string;
  readonly binaries: PostgresBinaries;
  readonly user: DatabaseUser | undefined;
  readonly logFile: string;
}

interface NewCluster {
  readonly folder: string;
  readonly home: string;
  readonly passwordFile: string;
  readonly binaries: PostgresBinaries;
  readonly user: DatabaseUser | undefined;
  readonly fast: boolean;
}

const owner = 'interlock';
const database = 'interlock';
const run = promisify(execFile);
const bareEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  if (options.port !== undefined) await assertPortFree(options.port, '--database-port');
  const cluster = await openCluster(dataDir, options);
  await waitForPredecessor(cluster, options.log);
  const { server, port } = await startServer(cluster, dataDir, options);
  try {
    await replaceFile(portFileOf(dataDir), `${port}\n`);
    await createDatabase(urlOf(cluster, port, 'postgres'));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: urlOf(cluster, port, database), port, exited: server.exited, stop: () => server.stop() };
}

async function openCluster(dataDir: string, options: PostgresOptions): Promise<Cluster> {
  assertClusterPresent(dataDir);
  const fast = options.fast ?? false;
  const binaries = await installPostgresBinaries(options.cacheDir ?? defaultCacheDirectory());
  const user = pickDatabaseUser(dataDir);
  const home = await clusterDirectory(dataDir, user);
  if (!home.startsWith(dataDir))
    options.log(`The database's files are in ${home}, because the database's user cannot enter ${dataDir}.`);
  const folder = join(home, 'data');
  const passwordFile = join(dataDir, 'postgres-password');
  const logFile = join(dataDir, 'postgres.log');
  if (!isCluster(home)) await initialise({ folder, home, passwordFile, binaries, user, fast });
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  if (version !== binaries.majorVersion) {
    throw new StartError(
      `${folder} was made by PostgreSQL ${version}, and this is ${binaries.majorVersion}. Use the earlier release of Interlock to dump the database, or delete all data with --reset.`,
    );
  }
  return { folder, home, fast, password: await readFile(passwordFile, 'utf8'), binaries, user, logFile };
}

// initdb writes into a draft folder, which is then renamed, so that a killed start cannot leave an incomplete cluster.
async function initialise({ folder, home, passwordFile, binaries, user, fast }: NewCluster): Promise<void> {
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  const password = randomBytes(24).toString('base64url');
  await replaceFile(passwordFile, password);
  await withSecretFile({ folder: home, secret: password, user }, async (secret) => {
    const options = [
      ...['--pgdata', draft, '--username', owner, '--pwfile', secret, '--encoding', 'UTF8'],
      ...[
        '--auth',
        fast ? 'trust' : 'scram-sha-256',
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
        '--locale',
        'C',
      ],
      ...(fast ? ['--no-sync'] : []),
    ];
    await run(binaries.initdb, options, { cwd: '/', env: bareEnvironment, ...user }).catch(
      (error: Error & { stderr?: string }) => {
        throw new StartError(
          `PostgreSQL could not make its files in ${home}: ${lastLine(error.stderr ?? error.message)}`,
        );
      },
    );
  });
  await rename(draft, folder);
}

// Waits for the server of an earlier run to end. The caller has locked the data directory, so no other Interlock uses
// these files. A server that still runs is ending, or has lost its guard. A lock file whose process is another program
// is stale. It is removed, because PostgreSQL would refuse to start.
async function waitForPredecessor({ folder }: Cluster, log: Say): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid');
  const lines = await readLines(lockFile);
  if (lines.length === 0) return;
  const pid = Number(lines[0]);
  const commandLine = Number.isInteger(pid) && pid > 0 ? await processCommandLine(pid) : null;
  if (commandLine?.includes(folder)) {
    log('Waiting for the PostgreSQL of the last run to shut down.');
    process.kill(pid, 'SIGINT');
    if (!(await waitForExit(pid, 60))) {
      throw new StartError(`PostgreSQL of the last run (process ${pid}) does not stop. Stop it, then start again.`);
    }
  }
  await rm(lockFile, { force: true });
}

async function startServer(
  cluster: Cluster,
  dataDir: string,
  options: PostgresOptions,
): Promise<{ server: GuardedProcess; port: number }> {
  const remembered = Number((await readLines(portFileOf(dataDir)))[0]) || undefined;
  const giveUpAt = Date.now() + 60_000;
  let isReported = false;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await chooseFreePort(remembered));
    const loggedBytes = await sizeOf(cluster.logFile);
    try {
      return { server: await startOnPort(cluster, port), port };
    } catch (error) {
      if (Date.now() < giveUpAt && (await isMemoryInUse(cluster, loggedBytes))) {
        if (!isReported) options.log('Waiting for the last sessions of a PostgreSQL that was killed.');
        isReported = true;
        attempt -= 1;
        await setTimeout(200);
        continue;
      }
      // Another process may have taken the port after it was found free.
      if (options.port !== undefined || attempt === 3 || (await isPortFree(port))) throw error;
    }
  }
}

// The sessions of a killed server end a moment later. Until then a new server refuses to start on the same files.
async function isMemoryInUse({ logFile }: Cluster, loggedBytes: number): Promise<boolean> {
  const log = await readFile(logFile).catch(() => Buffer.alloc(0));
  return log.subarray(loggedBytes).includes('pre-existing shared memory block');
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

// Every `autovacuum_naptime`, PostgreSQL starts a process for each of the three databases of the cluster. With the default
// of a minute, these processes took about a tenth of the CPU of an idle installation. Outdated statistics do not wait for
// them (src/platform/statistics.ts).
async function startOnPort(cluster: Cluster, port: number): Promise<GuardedProcess> {
  const { fast } = cluster;
  const settings = {
    port,
    listen_addresses: fast ? '' : '127.0.0.1',
    unix_socket_directories: fast || hasRoomForSocket(cluster, port) ? cluster.home : '',
    max_connections: fast ? 400 : 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    autovacuum_naptime: '5min',
    ...(fast && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await spawnGuarded({
    command: cluster.binaries.postgres,
    args: ['-D', cluster.folder, ...flags],
    env: bareEnvironment,
    logFile: cluster.logFile,
    stopSignal: 'INT',
    user: cluster.user,
  });
  await waitUntilReady({
    server,
    withinSec: 60,
    // The server writes `ready` into the eighth line of its lock file when it accepts connections.
    isReady: async () => (await readLines(join(cluster.folder, 'postmaster.pid')))[7]?.trim() === 'ready',
    describeFailure: async (reason) =>
      `PostgreSQL did not start: ${reason}. The last line of its log: ${lastLine(await readFile(cluster.logFile, 'utf8'))} (the whole log is ${cluster.logFile})`,
  });
  return server;
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

// Connections use the Unix socket if possible, because a write to it costs less CPU than to TCP, and a landing has
// hundreds of writes.
function urlOf(cluster: Cluster, port: number, name: string): string {
  const { home, password, fast } = cluster;
  const address = fast || hasRoomForSocket(cluster, port) ? encodeURIComponent(home) : '127.0.0.1';
  return `postgres://${owner}:${password}@${address}:${port}/${name}`;
}

/** The greatest length of the path of a socket on Linux and macOS, in bytes. */
const longestSocketPath = 103;

function hasRoomForSocket({ home }: Cluster, port: number): boolean {
  return Buffer.byteLength(join(home, `.s.PGSQL.${port}`)) <= longestSocketPath;
}

async function readLines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text === '' ? [] : text.split('\n');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
