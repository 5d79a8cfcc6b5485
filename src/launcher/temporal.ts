// The embedded Temporal development server. Its state is in a file of the data directory.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { defaultCacheDirectory } from './cache-directory.ts';
import { readJsonFile, replaceFile } from './durable-file.ts';
import { type GuardedProcess, spawnGuarded, waitUntilReady } from './guarded-process.ts';
import { assertPortFree, chooseFreePort, findFreePort, isPortFree } from './ports.ts';
import { processCommandLine, waitForExit } from './processes.ts';
import type { Say } from './progress.ts';
import { resolveTemporal, resolveTestServer } from './temporal-binary.ts';
import { prepareNamespace, type SearchAttributes } from './temporal-namespace.ts';

export { prepareNamespace, searchAttributes } from './temporal-namespace.ts';

export interface TemporalOptions {
  readonly dataDir: string;
  readonly cacheDir?: string;
  /** Default of both ports: those of the last start if they are free, otherwise other free ports. */
  readonly port?: number;
  readonly uiPort?: number;
  readonly namespace: string;
  readonly searchAttributes: SearchAttributes;
  /** For tests only: the server stores no state and serves no UI. */
  readonly fast?: boolean;
  readonly log: Say;
}

export interface EmbeddedTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  /** Settles when the server has ended for any reason. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly dataDir: string;
  readonly cacheDir?: string;
  readonly log: Say;
}

interface Files {
  readonly state: string;
  readonly log: string;
  readonly pid: string;
  readonly ports: string;
}

interface LastRun {
  readonly port?: number;
  readonly uiPort?: number;
}

export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  if (options.port !== undefined) await assertPortFree(options.port, '--temporal-port');
  if (options.uiPort !== undefined) await assertPortFree(options.uiPort, '--temporal-ui-port');
  const program = await resolveTemporal({ cacheDir: options.cacheDir ?? defaultCacheDirectory(), log: options.log });
  const files = {
    state: join(dataDir, 'temporal.db'),
    log: join(dataDir, 'temporal.log'),
    pid: join(dataDir, 'temporal.pid'),
    ports: join(dataDir, 'temporal-ports.json'),
  };
  await waitForPredecessor(files, options.log);
  // Earlier versions made these files readable for other users.
  for (const file of [files.state, `${files.state}-wal`, `${files.state}-shm`])
    if (existsSync(file)) await chmod(file, 0o600);
  const lastRun = (await readJsonFile<LastRun>(files.ports)) ?? {};
  const { server, port, uiPort } = await startServer({ program, files, options, lastRun });
  try {
    await replaceFile(files.ports, JSON.stringify({ port, uiPort }));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    address: `127.0.0.1:${port}`,
    namespace: options.namespace,
    // Without the path, the UI would show the namespace `default`, which is empty.
    uiUrl: `http://127.0.0.1:${uiPort}/namespaces/${options.namespace}/workflows`,
    exited: server.exited,
    stop: () => server.stop(),
  };
}

interface Starting {
  readonly program: string;
  readonly files: Files;
  readonly options: TemporalOptions;
  readonly lastRun: LastRun;
}

async function startServer({ lastRun, ...starting }: Starting): Promise<{
  readonly server: GuardedProcess;
  readonly port: number;
  readonly uiPort: number;
}> {
  const { options } = starting;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await chooseFreePort(lastRun.port));
    const uiPort = options.uiPort ?? (await chooseFreePort(lastRun.uiPort));
    try {
      return { server: await startOnPorts({ ...starting, port, uiPort }), port, uiPort };
    } catch (error) {
      // Another process may have taken a port after it was found free.
      const isPortChosenHere = options.port === undefined && options.uiPort === undefined;
      if (!isPortChosenHere || attempt === 3 || ((await isPortFree(port)) && (await isPortFree(uiPort)))) throw error;
    }
  }
}

/** Starts a server whose clock skips ahead while all workflows wait. It has no UI, no visibility and no schedules. */
export async function startTestServer(options: TestServerOptions): Promise<{ address: string; stop(): Promise<void> }> {
  const program = await resolveTestServer({ cacheDir: options.cacheDir ?? defaultCacheDirectory(), log: options.log });
  const port = await findFreePort();
  const logFile = join(resolve(options.dataDir), 'temporal-test-server.log');
  const server = await spawnGuarded({
    command: program,
    args: [String(port)],
    env: environment(),
    logFile,
    stopSignal: 'TERM',
  });
  await waitUntilReady({
    server,
    withinSec: 30,
    isReady: () => accepts(port),
    describeFailure: (reason) => describeFailure('The Temporal test server', reason, logFile),
  });
  return { address: `127.0.0.1:${port}`, stop: () => server.stop() };
}

async function startOnPorts({
  program,
  port,
  uiPort,
  files,
  options,
}: Omit<Starting, 'lastRun'> & { readonly port: number; readonly uiPort: number }): Promise<GuardedProcess> {
  const server = await spawnGuarded({
    command: program,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--namespace', options.namespace],
      ...(options.fast
        ? ['--headless']
        : ['--ui-port', String(uiPort), '--ui-disable-news-fetch', '--db-filename', files.state]),
      ...Object.entries(options.searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      ...['--log-level', 'error'],
    ],
    env: environment(),
    logFile: files.log,
    pidFile: files.pid,
    // A fast server has no state to save, so it is killed.
    stopSignal: options.fast ? 'KILL' : 'TERM',
  });
  await waitUntilReady({
    server,
    withinSec: 60,
    isReady: () => accepts(port),
    describeFailure: (reason) => describeFailure('Temporal', reason, files.log),
  });
  try {
    await prepareNamespace({
      address: `127.0.0.1:${port}`,
      namespace: options.namespace,
      searchAttributes: options.searchAttributes,
    });
  } catch (error) {
    await server.stop(5);
    throw error;
  }
  return server;
}

// Waits for the server of an earlier run to end. The caller has locked the data directory, so no other Interlock uses
// the state. A server that still runs cannot be reused, because its guard may be stopping it.
async function waitForPredecessor(files: Files, log: Say): Promise<void> {
  const pid = Number(await readFile(files.pid, 'utf8').catch(() => '0'));
  if (pid <= 0 || !(await processCommandLine(pid))?.includes(files.state)) return;
  log('Waiting for the Temporal of the last run to shut down.');
  process.kill(pid, 'SIGTERM');
  if (await waitForExit(pid, 10)) return;
  process.kill(pid, 'SIGKILL');
  await waitForExit(pid, 10);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

async function describeFailure(name: string, reason: string, logFile: string): Promise<string> {
  const lastLine = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').at(-1);
  return `${name} did not start: ${reason}. The last line of its log: ${lastLine || 'none'} (the whole log is ${logFile})`;
}

// The server gets a minimal environment, because variables TEMPORAL_* would change its behaviour.
function environment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', TMPDIR: process.env['TMPDIR'] ?? '/tmp' };
}
