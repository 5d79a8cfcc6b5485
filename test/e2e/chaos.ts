// An installation of two servers behind a reverse proxy, two workers, PostgreSQL and Temporal, each a process of its
// own. `inject` kills processes, disturbs the network, fills the disk of the repositories or sets the clock of a process,
// and `mend` starts killed processes again, as an orchestrator does.
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createClient, type Client } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { chosen, type Fault } from './chaos-faults.ts';
import { findClocks, removeSharedFiles, setForAWhile, type Clock } from './clocks.ts';
import {
  dataDirectory,
  fillDisk,
  mountSmallDisk,
  postgresPid,
  removeDirectory,
  runProgram,
  until,
  type EndedProgram,
  type Program,
  type SmallDisk,
} from './interlock.ts';
import { startUnreliableNetwork } from './unreliable-network.ts';

const namespace = 'chaos';
const programsPerKind = 2;
const secret = 'a-secret-that-all-processes-are-given';
const settings = { cacheDir: defaultCacheDirectory(), log: (): void => {} };
const megabyte = 2 ** 20;

type Kind = 'server' | 'worker';
/** `clock` is undefined if the clocks of processes cannot be set. */
type TimedProgram = Program & { readonly clock: Clock | undefined };

export interface InstallationOptions {
  /** The size of the disk of the repositories, if it can be mounted. */
  readonly diskMegabytes: number;
}

export interface Installation extends AsyncDisposable {
  readonly client: Client;
  /** The token of the client. */
  readonly token: string;
  /** Whether the repositories have a disk of their own. If not, `inject` cannot fill it. */
  readonly hasDisk: boolean;
  /** Whether the clocks of servers and workers can be set. */
  readonly hasClocks: boolean;
  /** The bodies of the received webhooks by message id. A message that was received twice has one entry. */
  readonly received: ReadonlyMap<string, string>;
  /** Causes a fault, and resolves when the fault is over. Killed processes stay down until `mend`. */
  inject(fault: Fault): Promise<void>;
  /** Starts the processes that do not run, and resolves when all processes are ready. */
  mend(): Promise<void>;
  /** Runs a program such as `verify` on this installation. */
  runProgram(name: string, ...args: string[]): Promise<EndedProgram>;
  query<Row extends object>(text: string): Promise<Row[]>;
}

export async function startInstallation({ diskMegabytes }: InstallationOptions): Promise<Installation> {
  const dataDir = await dataDirectory();
  const disk = await mountDisk(join(dataDir, 'git'), diskMegabytes * megabyte);
  const clocks = await findClocks(dataDir);
  const running: Record<Kind, TimedProgram[]> = { server: [], worker: [] };
  const started: Program[] = [];
  const balancer: Balancer = await startBalancer();
  const receiver = await startReceiver();
  const toPostgres = await startUnreliableNetwork();
  const toTemporal = await startUnreliableNetwork();
  let postgres: EmbeddedPostgres | null = null;
  let temporal: EmbeddedTemporal | null = null;
  let databaseUrl = '';

  const startStores = async (): Promise<void> => {
    // Sessions of a killed PostgreSQL may live a moment longer. While they live, a new PostgreSQL refuses to start.
    postgres ??= await retryUnanswered(async () => await startPostgres({ dataDir, ...settings }));
    databaseUrl = postgres.url;
    toPostgres.leadTo(postgres.port);
    temporal ??= await startTemporal({ dataDir, fast: true, namespace, searchAttributes, ...settings });
    toTemporal.leadTo(Number(temporal.address.split(':')[1]));
  };
  const environment = () => ({
    DATABASE_URL: throughPort(databaseUrl, toPostgres.port),
    TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
    TEMPORAL_NAMESPACE: namespace,
    INTERLOCK_DATA: dataDir,
    INTERLOCK_SECRET: secret,
    INTERLOCK_HOST: '127.0.0.1',
    INTERLOCK_PUBLIC_URL: balancer.url,
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    FREE_DISK_MB: '4',
    LOG_LEVEL: 'info',
  });
  const runWith = (env: Readonly<Record<string, string>>, name: string, ...args: string[]): Program => {
    const whole = { ...environment(), ...env };
    return disk === null ? runProgram(name, args, whole) : disk.run(name, args, whole);
  };
  const run = (name: string, ...args: string[]): Program => runWith({}, name, ...args);
  const start = async (kind: Kind, offsetMs = 0): Promise<TimedProgram> => {
    const flags = kind === 'worker' ? ['--unsafe-ci', '--ci-concurrency', '2'] : [];
    const clock = await clocks?.add();
    if (offsetMs !== 0) await clock?.set(offsetMs);
    const program = { ...runWith(clock?.environment ?? {}, 'production', kind, '--port', '0', ...flags), clock };
    running[kind].push(program);
    started.push(program);
    return program;
  };
  const startPrograms = async (): Promise<void> => {
    for (const kind of ['server', 'worker'] as const) {
      running[kind] = running[kind].filter(({ child }) => child.exitCode === null && child.signalCode === null);
      while (running[kind].length < programsPerKind) await start(kind);
    }
    const urls = await Promise.all([...running.server, ...running.worker].map(awaitAddress));
    balancer.use(urls.slice(0, programsPerKind));
    for (const url of urls) await until(async () => await isReady(url), { everyMs: 50 });
  };
  const kill = async (killed: readonly Program[]): Promise<void> => {
    for (const { child } of killed) child.kill('SIGKILL');
    await Promise.all(killed.map(async ({ ended }) => await ended));
  };
  const killPostgres = async (): Promise<void> => {
    process.kill(await postgresPid(dataDir), 'SIGKILL');
    await postgres?.exited;
    postgres = null;
  };
  const killTemporal = async (): Promise<void> => {
    process.kill(Number(await readFile(join(dataDir, 'temporal.pid'), 'utf8')), 'SIGKILL');
    await temporal?.exited;
    temporal = null;
  };
  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const connection = new pg.Client({ connectionString: databaseUrl });
    connection.on('error', () => {});
    await connection.connect();
    try {
      return (await connection.query(text)).rows as Row[];
    } finally {
      await connection.end();
    }
  };
  const killSession = async ({ choice }: Fault): Promise<void> => {
    const sessions = await query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'interlock' order by backend_start, pid",
    );
    process.kill(chosen(sessions, choice).pid, 'SIGKILL');
  };
  const fillForAWhile = async ({ heldMs }: Fault): Promise<void> => {
    if (disk === null) throw new Error('The repositories have no disk of their own.');
    const filler = await fillDisk(disk.folder);
    await delay(heldMs);
    await rm(filler);
  };
  const holdClock = async (program: TimedProgram, offsetMs: number, heldMs: number): Promise<void> => {
    if (program.clock === undefined) throw new Error('The clocks of processes cannot be set.');
    await setForAWhile(program.clock, { url: await awaitAddress(program), offsetMs, heldMs });
  };
  const setClock = async (kind: Kind, offsetMs: number, { heldMs, choice }: Fault): Promise<void> =>
    await holdClock(chosen(running[kind], choice), offsetMs, heldMs);
  const startWithClock = async (kind: Kind, offsetMs: number, { heldMs, choice }: Fault): Promise<void> => {
    await kill([chosen(running[kind], choice)]);
    const program = await start(kind, offsetMs);
    await startPrograms();
    await holdClock(program, offsetMs, heldMs);
  };
  const actions: Readonly<Record<Fault['name'], (fault: Fault) => Promise<void>>> = {
    'a server is killed': async ({ choice }) => await kill([chosen(running.server, choice)]),
    'a worker is killed': async ({ choice }) => await kill([chosen(running.worker, choice)]),
    'all servers are killed': async () => await kill(running.server),
    'all workers are killed': async () => await kill(running.worker),
    'PostgreSQL is killed': killPostgres,
    'a session of PostgreSQL is killed': killSession,
    'Temporal is killed': killTemporal,
    'connections to PostgreSQL break off': async () => await toPostgres.breakOff(),
    'connections to PostgreSQL are reset': async () => await toPostgres.reset(),
    'the network to PostgreSQL is held up': async ({ heldMs }) => await toPostgres.holdUp(heldMs),
    'connections to Temporal break off': async () => await toTemporal.breakOff(),
    'connections to Temporal are reset': async () => await toTemporal.reset(),
    'the network to Temporal is held up': async ({ heldMs }) => await toTemporal.holdUp(heldMs),
    'everything is killed': async () => {
      await kill([...running.server, ...running.worker]);
      await killTemporal();
      await killPostgres();
    },
    'the disk of the repositories is full': fillForAWhile,
    'the clock of a server is ahead': async (fault) => await setClock('server', fault.offsetMs, fault),
    'the clock of a server is behind': async (fault) => await setClock('server', -fault.offsetMs, fault),
    'the clock of a worker is ahead': async (fault) => await setClock('worker', fault.offsetMs, fault),
    'the clock of a worker is behind': async (fault) => await setClock('worker', -fault.offsetMs, fault),
    'a server starts with a clock that is ahead': async (fault) =>
      await startWithClock('server', fault.offsetMs, fault),
    'a server starts with a clock that is behind': async (fault) =>
      await startWithClock('server', -fault.offsetMs, fault),
    'a worker starts with a clock that is ahead': async (fault) =>
      await startWithClock('worker', fault.offsetMs, fault),
    'a worker starts with a clock that is behind': async (fault) =>
      await startWithClock('worker', -fault.offsetMs, fault),
  };
  await startStores();
  await startPrograms();
  const { said } = await run('production', 'account', '--name', 'team', '--email', 'a@team.test').ended;
  const token = said.trim();
  const client = createClient({ url: balancer.url, token });
  await client.graphql(
    'mutation ($url: URI!) { createWebhookEndpoint(input: {url: $url, actions: ["*"]}) { webhookEndpoint { id } } }',
    { url: receiver.url },
  );
  return {
    client,
    token,
    hasDisk: disk !== null,
    hasClocks: clocks !== null,
    received: receiver.received,
    query,
    inject: async (fault) => await actions[fault.name](fault),
    async mend() {
      await startStores();
      await startPrograms();
    },
    runProgram: async (name, ...args) => await run(name, ...args).ended,
    async [Symbol.asyncDispose]() {
      await kill([...running.server, ...running.worker]);
      for (const { child } of started) await removeSharedFiles(child.pid);
      await balancer.close();
      receiver.server.close();
      await toTemporal[Symbol.asyncDispose]();
      await toPostgres[Symbol.asyncDispose]();
      await temporal?.stop();
      await postgres?.stop();
      await disk?.[Symbol.asyncDispose]();
      await removeDirectory(dataDir);
    },
  };
}

/** Returns null, and says why, if this machine does not allow the mount. */
async function mountDisk(folder: string, size: number): Promise<SmallDisk | null> {
  try {
    return await mountSmallDisk(folder, size);
  } catch (error) {
    console.log(`No disk becomes full in this run. ${(error as Error).message}`);
    return null;
  }
}

/** Returns a URL of the same database that uses TCP and another port. */
function throughPort(databaseUrl: string, port: number): string {
  const { username, password, pathname } = new URL(databaseUrl);
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
}

async function awaitAddress(program: Program): Promise<string> {
  return await until(async () => {
    if (program.child.exitCode !== null) throw new Error(`The program did not start:\n${program.said()}`);
    return /"url":"(http:[^"]+)".*is ready/.exec(program.said())?.[1] ?? null;
  });
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function startReceiver(): Promise<{ url: string; server: Server; received: Map<string, string> }> {
  const received = new Map<string, string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.set(String(request.headers['webhook-id']), Buffer.concat(chunks).toString());
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, server, received };
}

/** Repeats a request until a server answers it, at most 300 times. A refusal is an answer. */
export async function retryUnanswered<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await request();
    } catch (error) {
      if (attempt === 300 || /answered 4(?!29)/.test(String(error))) throw error;
      await delay(200);
    }
}
