// An installation of two servers behind a reverse proxy, two workers, PostgreSQL and Temporal, each a process of its
// own. `inject` kills processes or disturbs the network, and `mend` starts killed processes again, as an orchestrator
// does.
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createClient, type Client } from '../../src/demo/client.ts';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { seeded } from '../support/random.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import {
  dataDirectory,
  postgresPid,
  removeDirectory,
  runProgram,
  until,
  type EndedProgram,
  type Program,
} from './interlock.ts';
import { startUnreliableNetwork } from './unreliable-network.ts';

const faults = [
  'a server is killed',
  'a worker is killed',
  'all servers are killed',
  'all workers are killed',
  'PostgreSQL is killed',
  'a session of PostgreSQL is killed',
  'Temporal is killed',
  'everything is killed',
  'connections to PostgreSQL break off',
  'connections to PostgreSQL are reset',
  'the network to PostgreSQL is held up',
  'connections to Temporal break off',
  'connections to Temporal are reset',
  'the network to Temporal is held up',
] as const;

export interface Fault {
  readonly name: (typeof faults)[number];
  /** How long after the pull requests of its round were queued the fault happens. */
  readonly afterMs: number;
  /** How long the network is held up, if the fault is of that kind. */
  readonly heldMs: number;
}

const namespace = 'chaos';
const programsPerKind = 2;
const secret = 'a-secret-that-all-processes-are-given';
const settings = { cacheDir: defaultCacheDirectory(), log: (): void => {} };

export interface Installation extends AsyncDisposable {
  readonly client: Client;
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

export async function startInstallation(): Promise<Installation> {
  const dataDir = await dataDirectory();
  const running: Record<'server' | 'worker', Program[]> = { server: [], worker: [] };
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
    LOG_LEVEL: 'info',
  });
  const startPrograms = async (): Promise<void> => {
    for (const kind of ['server', 'worker'] as const) {
      running[kind] = running[kind].filter(({ child }) => child.exitCode === null && child.signalCode === null);
      const flags = kind === 'worker' ? ['--unsafe-ci', '--ci-concurrency', '2'] : [];
      while (running[kind].length < programsPerKind)
        running[kind].push(runProgram('production', [kind, '--port', '0', ...flags], environment()));
    }
    const urls = await Promise.all([...running.server, ...running.worker].map(awaitAddress));
    balancer.use(urls.slice(0, programsPerKind));
    for (const url of urls) await until(async () => await isReady(url), { everyMs: 50 });
  };
  const killPrograms = async (kind: 'server' | 'worker', count: number): Promise<void> => {
    const killed = running[kind].splice(0, count);
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
  const killSession = async (): Promise<void> => {
    const [session] = await query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'interlock' order by random() limit 1",
    );
    if (session !== undefined) process.kill(session.pid, 'SIGKILL');
  };
  const actions: Readonly<Record<Fault['name'], (fault: Fault) => Promise<void>>> = {
    'a server is killed': async () => await killPrograms('server', 1),
    'a worker is killed': async () => await killPrograms('worker', 1),
    'all servers are killed': async () => await killPrograms('server', programsPerKind),
    'all workers are killed': async () => await killPrograms('worker', programsPerKind),
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
      await Promise.all([killPrograms('server', programsPerKind), killPrograms('worker', programsPerKind)]);
      await killTemporal();
      await killPostgres();
    },
  };
  await startStores();
  await startPrograms();
  const { said } = await runProgram(
    'production',
    ['account', '--name', 'team', '--email', 'a@team.test'],
    environment(),
  ).ended;
  const client = createClient({ url: balancer.url, token: said.trim() });
  await client.graphql(
    'mutation ($url: URI!) { createWebhookEndpoint(input: {url: $url, actions: ["*"]}) { webhookEndpoint { id } } }',
    { url: receiver.url },
  );
  return {
    client,
    received: receiver.received,
    query,
    inject: async (fault) => await actions[fault.name](fault),
    async mend() {
      await startStores();
      await startPrograms();
    },
    runProgram: async (name, ...args) => await runProgram(name, args, environment()).ended,
    async [Symbol.asyncDispose]() {
      await killPrograms('server', programsPerKind);
      await killPrograms('worker', programsPerKind);
      await balancer.close();
      receiver.server.close();
      await toTemporal[Symbol.asyncDispose]();
      await toPostgres[Symbol.asyncDispose]();
      await temporal?.stop();
      await postgres?.stop();
      await removeDirectory(dataDir);
    },
  };
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

/** Generates faults without end. The same seed gives the same faults. */
export function* planFaults(seed: number): Generator<Fault, never> {
  const random = seeded(seed);
  for (;;) {
    const name = faults[Math.floor(random() * faults.length)] ?? 'a worker is killed';
    yield { name, afterMs: Math.floor(random() * 2_000), heldMs: 1_000 + Math.floor(random() * 14_000) };
  }
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

export function percentiles(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number): string => `${((sorted[Math.ceil(part * sorted.length) - 1] ?? 0) / 1000).toFixed(1)} s`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`;
}
