import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  /** The URL for the owner of the tables. */
  readonly url: string;
  /** Ends all sessions. The database is dropped in the background. */
  drop(): Promise<void>;
}

/** How many databases are dropped at once. */
const maxDropping = 8;
const dropping = new Set<Promise<void>>();

/** A new database for the caller, copied from `template`. By default it is migrated and has no rows. */
export async function createTestDatabase(template = inject('postgres').template): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // This takes half the CPU of the default strategy, which also writes each page of the copy into the log.
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  return { url: databaseUrl(name), drop: async () => await dropSoon(name) };
}

export function databaseUrl(name: string): string {
  const url = new URL(inject('postgres').adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropSoon(name: string): Promise<void> {
  while (dropping.size >= maxDropping) await Promise.race(dropping);
  const dropped = asAdmin(`drop database if exists ${name} with (force)`).finally(() => dropping.delete(dropped));
  // The whole server is removed after the run.
  dropped.catch(() => {});
  dropping.add(dropped);
}

export async function asAdmin(statement: string): Promise<void> {
  await withAdmin(async (client) => await client.query(statement));
}

/** Runs ANALYZE as the owner of the tables. In a session of the service, PostgreSQL would only warn. */
export async function analyse(url: string, ...tables: string[]): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await owner.query(`analyze ${tables.join(', ')}`);
  } finally {
    await owner.end();
  }
}

/** The id of the process of PostgreSQL that starts all its other processes. */
export async function findPostmaster(): Promise<number> {
  return await withAdmin(async (client) => {
    const found = await client.query<{ pid: number }>(
      `select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`,
    );
    return found.rows[0]?.pid ?? 0;
  });
}

/** Runs `work` while no other process of the run holds the lock. */
export async function withAdminLock<T>(key: number, work: () => Promise<T>): Promise<T> {
  return await withAdmin(async (client) => {
    await client.query('select pg_advisory_lock($1)', [key]);
    return await work();
  });
}

async function withAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('postgres').adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
