// One process tree on one machine: embedded PostgreSQL and Temporal (or those it is given), server and worker.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import { lockDataDirectory, removeAccess, writeAccess, type Access } from './launcher/access.ts';
import { assertPortFree } from './launcher/ports.ts';
import { openPostgres, openTemporal, type Temporal } from './launcher/parts.ts';
import { removeCluster } from './launcher/postgres-cluster.ts';
import type { Progress } from './launcher/progress.ts';
import { removeRuntime, writeRuntime } from './launcher/runtime.ts';
import { searchAttributes } from './launcher/temporal.ts';
import { createAccount, deriveSecrets, generateSecrets, type Secrets } from './modules/accounts/index.ts';
import { createEventHub } from './modules/events/index.ts';
import { migrate } from './platform/migrate.ts';
import { projectRoot } from './platform/project-root.ts';
import { serveLocalGit } from './server/local-git.ts';
import { startServer } from './server.ts';
import { createService } from './service.ts';
import { connectTemporal } from './temporal.ts';
import { startWorker } from './worker.ts';

export interface StartOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | null;
  readonly temporalAddress: string | null;
  /** Throws away what the data directory holds before starting. */
  readonly reset: boolean;
  /** Checks at once. */
  readonly ciConcurrency: number;
}

export interface Interlock extends Access {
  /** There was nothing in the data directory: the account and its token are new. */
  readonly isNew: boolean;
  readonly sandbox: string;
  stop(): Promise<void>;
}

type Stop = () => Promise<void>;

export async function startInterlock(options: StartOptions, progress: Progress): Promise<Interlock> {
  const dataDir = resolve(options.dataDir);
  if (options.port !== 0) await assertPortFree(options.port);
  const lock = await lockDataDirectory(dataDir);
  const stops: Stop[] = [async () => await lock.release()];
  // The last started stops first: no request is answered by a service whose database is gone.
  const stop = async (): Promise<void> => {
    await Promise.all([removeAccess(dataDir), removeRuntime(dataDir)]);
    for (const part of stops.splice(0).reverse()) await part().catch((error: unknown) => progress.say(`A part did not stop cleanly: ${String(error)}`));
  };
  try {
    return { ...(await startParts(options, { dataDir, stops, progress })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(options: StartOptions, parts: { dataDir: string; stops: Stop[]; progress: Progress }): Promise<Omit<Interlock, 'stop'>> {
  const { dataDir, stops, progress } = parts;
  if (options.reset) await clear(dataDir);
  await mkdir(dataDir, { recursive: true });
  // The database's own user walks through it; every secret inside is guarded by its own mode.
  await chmod(dataDir, 0o711);
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }, pino.destination({ dest: join(dataDir, 'interlock.log'), sync: false }));
  const [databaseUrl, temporal] = await both(startDatabase(options, parts), startTemporalServer(options, parts));
  const secrets = await readSecrets(dataDir);
  const service = await progress.part('Server and worker', async () => await startService({ options, dataDir, databaseUrl, temporal, secrets, log, stops }));
  const { isNew, token } = await firstAccount(service.ports, secrets, dataDir);
  const access = { url: service.url, token, temporalUi: temporal.uiUrl ?? process.env['TEMPORAL_UI_URL'] ?? '' };
  await writeAccess(dataDir, access);
  return { ...access, isNew, sandbox: service.sandbox };
}

/** Both are awaited whatever happens to the other: what was started must be known to be stopped. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return [first.value, second.value];
}

async function clear(dataDir: string): Promise<void> {
  await removeCluster(dataDir);
  for (const name of ['git', 'logs', 'secrets.json', 'token', 'temporal.db', 'temporal.db-wal', 'temporal.db-shm', 'temporal-ports.json', 'interlock.log']) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

type Starting = { readonly dataDir: string; readonly stops: Stop[]; readonly progress: Progress };

async function startDatabase(options: StartOptions, { dataDir, stops, progress }: Starting): Promise<string> {
  const database = await progress.part('PostgreSQL', async () => await openPostgres(options.databaseUrl ?? undefined, { dataDir, log: progress.say }));
  // Before everything that uses it, after the lock: stops run from the end.
  stops.splice(1, 0, database.stop);
  await progress.part('Schema', async () => await migrate(database.url));
  await writeRuntime(dataDir, { databaseUrl: database.url });
  return database.url;
}

async function startTemporalServer(options: StartOptions, { dataDir, stops, progress }: Starting): Promise<Temporal> {
  const namespace = options.temporalAddress === null ? 'interlock' : (process.env['TEMPORAL_NAMESPACE'] ?? 'default');
  const temporal = await progress.part('Temporal', async () => await openTemporal(options.temporalAddress ?? undefined, { dataDir, namespace, searchAttributes, log: progress.say }));
  stops.splice(1, 0, temporal.stop);
  return temporal;
}

/** Kept in the data directory, so that tokens outlive a restart; INTERLOCK_SECRET replaces the file. */
async function readSecrets(dataDir: string): Promise<Secrets> {
  const given = process.env['INTERLOCK_SECRET'];
  if (given !== undefined) return deriveSecrets(given);
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) await writeFile(file, JSON.stringify(generateSecrets()), { mode: 0o600, flag: 'wx' });
  return JSON.parse(await readFile(file, 'utf8')) as Secrets;
}

interface ServiceParts {
  readonly options: StartOptions;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly temporal: Temporal;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly stops: Stop[];
}

async function startService(parts: ServiceParts): Promise<{ url: string; sandbox: string; ports: Awaited<ReturnType<typeof createService>>['ports'] }> {
  const { options, dataDir, databaseUrl, temporal, secrets, log, stops } = parts;
  const client = connectTemporal({ ...temporal, log });
  stops.push(async () => await client.close());
  const publicUrl = process.env['INTERLOCK_PUBLIC_URL'] ?? `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${options.port}`;
  const service = await createService({ databaseUrl, dataDir, publicUrl, log, wake: client.wake });
  stops.push(async () => await service.stop());
  await service.localHost.recover();
  const bundle = join(projectRoot, 'dist', 'workflow-bundle.js');
  const worker = await startWorker({
    service,
    temporal,
    workflowBundle: existsSync(bundle) ? bundle : null,
    ci: { concurrency: options.ciConcurrency, allowPlain: true },
  });
  stops.push(async () => await worker.stop());
  const hub = createEventHub({ db: service.ports.db, log });
  stops.push(async () => await hub.close());
  const server = await startServer({
    ports: service.ports, secrets, hub, port: options.port, host: options.host,
    registerExtra: async (fastify, { authenticator }) => await serveLocalGit(fastify, { ports: service.ports, localHost: service.localHost, authenticator }),
  });
  stops.push(async () => await server.close());
  service.start();
  return { url: server.url, sandbox: worker.sandbox, ports: service.ports };
}

/** On a database without an account: one is made, and its token is kept beside the data it opens. */
async function firstAccount(ports: Awaited<ReturnType<typeof createService>>['ports'], secrets: Secrets, dataDir: string): Promise<{ isNew: boolean; token: string }> {
  const file = join(dataDir, 'token');
  const accounts = await ports.db.system.query('select 1 from account limit 1');
  if (accounts.length > 0) {
    const kept = await readFile(file, 'utf8').catch(() => null);
    return { isNew: false, token: kept?.trim() ?? '' };
  }
  const { token } = await createAccount(ports, secrets, { name: 'interlock', email: 'service@interlock.local' });
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  return { isNew: true, token };
}
