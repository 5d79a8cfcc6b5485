// Temporal's production server with several history shards and its data in PostgreSQL. Go compiles the server at the
// first use, because the program `temporal` has only the development server, with one shard and a file.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import pg from 'pg';
import { spawnGuarded, type GuardedProcess } from '../../src/launcher/guarded-process.ts';
import { findFreePort } from '../../src/launcher/ports.ts';
import { compileOnce } from './go-programs.ts';

const pins = fileURLToPath(new URL('temporal-server', import.meta.url));
const shards = 4;
const schemas = { temporal: 'postgresql/v12/temporal', temporal_visibility: 'postgresql/v12/visibility' };
const roles = ['frontend', 'history', 'matching', 'worker'] as const;

export interface TemporalOnPostgres {
  readonly address: string;
  /** Kills the server, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** How many workflows each shard has. */
  workflowsByShard(): Promise<readonly number[]>;
}

/** `url`: a database of a PostgreSQL that TCP reaches. Temporal gets two databases of its own there. */
export async function startTemporalOnPostgres(at: {
  readonly url: string;
  readonly folder: string;
  readonly namespace: string;
}): Promise<TemporalOnPostgres> {
  const programs = await compileOnce(
    { name: 'temporal-server', pins },
    { server: 'go.temporal.io/server/cmd/server', 'sql-tool': 'go.temporal.io/server/cmd/tools/sql' },
  );
  await makeDatabases(at.url, join(programs, 'sql-tool'));
  const address = await configure(at.url, at.folder);
  const start = async (): Promise<GuardedProcess> => {
    const server = await spawnGuarded({
      command: join(programs, 'server'),
      args: ['--root', at.folder, '--config', 'temporal', '--env', 'development', 'start'],
      env: {},
      logFile: join(at.folder, 'temporal-server.log'),
      stopSignal: 'KILL',
    });
    await makeNamespace(server, address, at.namespace);
    return server;
  };
  let server = await start();
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await start();
  };
  return {
    address,
    restart,
    stop: async () => await server.stop(),
    workflowsByShard: async () => await countByShard(at.url),
  };
}

async function makeDatabases(url: string, tool: string): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const server = ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username];
  await using client = await connectTo(url);
  for (const [database, schema] of Object.entries(schemas)) {
    await client.query(`create database ${database}`);
    const env = { ...process.env, SQL_PASSWORD: decodeURIComponent(password) };
    const run = async (...args: string[]): Promise<unknown> =>
      await promisify(execFile)(tool, [...server, '--db', database, ...args], { env });
    await run('setup-schema', '-v', '0.0');
    await run('update-schema', '--schema-name', schema);
  }
}

/** Writes the configuration of the server. Returns the address of its front end. */
async function configure(url: string, folder: string): Promise<string> {
  const { host, username, password } = new URL(url);
  const store = (databaseName: string): object => {
    const user = { user: username, password: decodeURIComponent(password), maxConns: 6, maxIdleConns: 6 };
    return { sql: { pluginName: 'postgres12', databaseName, connectAddr: host, connectProtocol: 'tcp', ...user } };
  };
  const ports = new Map<string, number>();
  const services: Record<string, object> = {};
  for (const role of roles) {
    const [grpcPort, membershipPort] = [await findFreePort(), await findFreePort()];
    ports.set(role, grpcPort);
    services[role] = { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } };
  }
  const address = `127.0.0.1:${ports.get('frontend')}`;
  const cluster = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address };
  const datastores = { default: store('temporal'), visibility: store('temporal_visibility') };
  const configuration = {
    log: { stdout: true, level: 'error' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'visibility', numHistoryShards: shards, datastores },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services,
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active', clusterInformation: { active: cluster } },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    publicClient: { hostPort: address },
  };
  await mkdir(join(folder, 'temporal'), { recursive: true });
  // JSON is YAML, too. The file holds the password of the database.
  await writeFile(join(folder, 'temporal', 'development.yaml'), JSON.stringify(configuration), { mode: 0o600 });
  return address;
}

/** Waits until the server has made the namespace, or finds it. */
async function makeNamespace(server: GuardedProcess, address: string, namespace: string): Promise<void> {
  const deadline = performance.now() + 300_000;
  let hasEnded = false;
  void server.exited.then(() => (hasEnded = true));
  for (;;) {
    const problem = await register(address, namespace);
    if (problem === null) return;
    if (hasEnded || performance.now() > deadline) throw new Error(`Temporal did not make its namespace: ${problem}`);
    await delay(500);
  }
}

/** Null: the namespace exists. Otherwise the reason why it does not. */
async function register(address: string, namespace: string): Promise<string | null> {
  try {
    await using connection = await connectToTemporal(address);
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    return null;
  } catch (error) {
    const { message } = error as Error;
    return message.includes('ALREADY_EXISTS') ? null : message;
  }
}

async function connectToTemporal(address: string): Promise<Connection & AsyncDisposable> {
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  return Object.assign(connection, { [Symbol.asyncDispose]: async () => await connection.close() });
}

async function connectTo(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: async () => await client.end() });
}

async function countByShard(url: string): Promise<readonly number[]> {
  const of = new URL(url);
  of.pathname = '/temporal';
  await using client = await connectTo(of.href);
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from executions group by shard_id order by shard_id',
  );
  return rows.map(({ count }) => count);
}
