// Makes the database of a bench, accounts in whose name the bench calls services, and a connection as the owner of the
// database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { systemContext, type Context, type Ports } from '../src/context.ts';
import { entities } from '../src/modules/entities.ts';
import { connectDatabase } from '../src/platform/database.ts';
import { createMetrics } from '../src/platform/metrics/index.ts';
import { createService, type Service } from '../src/service.ts';
import { openBenchDatabase } from './database.ts';

export interface BenchInstallation {
  /** Queries as the owner of the database, without row-level security and time limits. */
  readonly owner: pg.Client;
  readonly databaseUrl: string;
  readonly account: (name: string) => Promise<Context>;
  /** Makes a repository acme/`name`, and returns its id. */
  readonly repository: (ctx: Context, name: string) => Promise<string>;
}

/**
 * Inserts the row of a repository acme/`name` on the local host, and returns its id. The repository has no folder with
 * git objects.
 */
export async function insertRepository(owner: pg.Client, accountId: string, name: string): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
     values ($1, 'acme', $2, 'local', E'merge_rules:\\n  labels:\\n    trigger: mergequeue\\n', '') returning id`,
    [accountId, name],
  );
  return rows[0]?.id ?? '';
}

async function insertAccount(owner: pg.Client, name: string): Promise<string> {
  const { rows } = await owner.query<{ id: string }>('insert into account (name) values ($1) returning id', [name]);
  return rows[0]?.id ?? '';
}

export async function withInstallation(work: (installation: BenchInstallation) => Promise<void>): Promise<void> {
  const database = await openBenchDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  const db = await connectDatabase({ url: database.url, entities });
  await owner.connect();
  try {
    const { meter } = createMetrics();
    const ports = {
      db,
      meter,
      clock: () => new Date(),
      log: pino({ level: 'warn' }),
      eventsWritten: () => {},
    } as Partial<Ports> as Ports;
    await work({
      owner,
      databaseUrl: database.url,
      account: async (name) => systemContext(ports, await insertAccount(owner, name)),
      repository: async ({ accountId }, name) => await insertRepository(owner, accountId, name),
    });
  } finally {
    await db.close();
    await owner.end();
    await database.drop();
  }
}

/** An installation with a service that is not started: its hosts and its queues are there, and its loops do not run. */
export interface BenchService extends BenchInstallation {
  readonly service: Service;
  readonly dataDir: string;
}

export async function withService<T>(work: (installation: BenchService) => Promise<T>): Promise<T> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-bench-service-'));
  const service = await createService({
    databaseUrl: database.url,
    dataDir,
    publicUrl: 'http://localhost:4000',
    log: pino({ level: 'warn' }),
    wake: async () => {},
  });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  try {
    return await work({
      owner,
      service,
      dataDir,
      databaseUrl: database.url,
      account: async (name) => systemContext(service.ports, await insertAccount(owner, name)),
      repository: async ({ accountId }, name) => await insertRepository(owner, accountId, name),
    });
  } finally {
    await service.stop();
    await owner.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
