// Makes the database of one bench, on the server of DATABASE_URL or on an embedded PostgreSQL in a temporary folder. The
// embedded PostgreSQL is not durable, so that writes take less time than in production.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../src/launcher/postgres.ts';
import { migrate } from '../src/platform/migrate.ts';

export interface BenchDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function openBenchDatabase(): Promise<BenchDatabase> {
  const given = process.env.DATABASE_URL;
  const server = given === undefined ? await startEmbedded() : { url: given, stop: async () => {} };
  const name = `interlock_bench_${randomBytes(6).toString('hex')}`;
  await asAdmin(server.url, `create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return {
    url: url.href,
    async drop() {
      await asAdmin(server.url, `drop database ${name} with (force)`);
      await server.stop();
    },
  };
}

async function startEmbedded(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
  // If this process is root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o755);
  const server = await startPostgres({ dataDir, fast: true, log: (line) => console.error(line) });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
