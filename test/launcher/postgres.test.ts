import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { removeCluster } from '../../src/launcher/postgres-cluster.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/launcher/postgres.ts';
import { processesWith, runProgram, temporaryDirectory } from './processes.ts';

const silent = () => undefined;

async function start(dataDir: string, log: (line: string) => void = silent): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dataDir, log });
  onTestFinished(() => server.stop());
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a second start finds the data of the first at the same address', async () => {
  const dataDir = await temporaryDirectory();
  const first = await start(dataDir);
  await query(first.url, 'create table note as select 42 as answer');
  await first.stop();
  const second = await start(dataDir);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select answer from note')).toEqual([{ answer: 42 }]);
});

test('the server does not lose committed rows for the sake of speed: fsync and synchronous_commit are on', async () => {
  const { url } = await start(await temporaryDirectory());
  expect(
    await query(url, "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync"),
  ).toEqual([{ fsync: 'on', sync: 'on' }]);
});

test('a connection needs the password, which only the owner of the data directory can read', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await start(dataDir);
  const guess = new URL(url);
  guess.password = 'guess';
  await expect(query(guess.href, 'select 1')).rejects.toThrow('password authentication failed');
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
});

test('after kill -9 of its parent, the next start has every committed row', async () => {
  const dataDir = await temporaryDirectory();
  const { child, said, exited } = await runProgram('hold-postgres', [dataDir]);
  await query(String(said['url']), 'create table note as select 42 as answer');
  child.kill('SIGKILL');
  await exited;
  const next = await start(dataDir);
  expect(await query(next.url, 'select answer from note')).toEqual([{ answer: 42 }]);
  await next.stop();
  await vi.waitUntil(async () => (await processesWith(dataDir)).length === 0, { timeout: 60_000 });
});

test('after kill -9 of its parent, the server ends by itself', async () => {
  const dataDir = await temporaryDirectory();
  const { child } = await runProgram('hold-postgres', [dataDir]);
  expect((await processesWith(dataDir)).length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await vi.waitUntil(async () => (await processesWith(dataDir)).length === 0, { timeout: 60_000 });
  expect(existsSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
});

test('a server that lost its guard and its parent is ended by the next start', async () => {
  const dataDir = await temporaryDirectory();
  const { child, exited } = await runProgram('hold-postgres', [dataDir]);
  child.kill('SIGSTOP');
  for (const pid of await processesWith('interlock-guard')) {
    if ((await processesWith(dataDir)).includes(pid)) process.kill(pid, 'SIGKILL');
  }
  child.kill('SIGKILL');
  await exited;
  const { url } = await start(dataDir);
  expect(await query(url, 'select 1 as up')).toEqual([{ up: 1 }]);
});

test('a start waits for the last session of a server that was killed', async () => {
  const dataDir = await temporaryDirectory();
  const first = await start(dataDir);
  const client = new pg.Client({ connectionString: first.url });
  client.on('error', silent);
  await client.connect();
  await client.query('create table note as select 42 as answer');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const session = rows[0]?.pid ?? 0;
  // On a busy machine, a session may not notice for a while that its server has died. A stopped session acts the same.
  process.kill(session, 'SIGSTOP');
  const [postmaster = ''] = (await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(postmaster), 'SIGKILL');
  await first.exited;
  const next = await start(dataDir, (line) => {
    if (line.startsWith('Waiting for the last sessions')) process.kill(session, 'SIGCONT');
  });
  expect(await query(next.url, 'select answer from note')).toEqual([{ answer: 42 }]);
  await client.end().catch(silent);
});

test('a lock file whose process id belongs to another program does not stop the start', async () => {
  const dataDir = await temporaryDirectory();
  await (await start(dataDir)).stop();
  const cluster = join(dataDir, 'postgres', 'data');
  await writeFile(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n0\n5432\n\n127.0.0.1\n\nready\n`);
  const { url } = await start(dataDir);
  expect(await query(url, 'select 1 as up')).toEqual([{ up: 1 }]);
});

test('an unfinished cluster of a killed first start is made again', async () => {
  const dataDir = await temporaryDirectory();
  await (await start(dataDir)).stop();
  await removeCluster(dataDir);
  await mkdir(join(dataDir, 'postgres', 'data.draft'), { recursive: true });
  await chmod(join(dataDir, 'postgres'), 0o777);
  await writeFile(join(dataDir, 'postgres', 'data.draft', 'PG_VERSION'), '18\n');
  const { url } = await start(dataDir);
  expect(await query(url, 'select 1 as up')).toEqual([{ up: 1 }]);
});

test('a start whose database has gone makes no new one, and works again when the database is back', async () => {
  const dataDir = await temporaryDirectory();
  await (await start(dataDir)).stop();
  const files = join(dataDir, 'postgres');
  const password = await readFile(join(dataDir, 'postgres-password'), 'utf8');
  await rename(files, join(dataDir, 'elsewhere'));
  await expect(start(dataDir)).rejects.toThrow(
    `${files} does not contain the database that an earlier start made. If it is on a volume, mount the volume; if it was moved, move it back.`,
  );
  // The mount point of a volume that is not mounted is an empty folder.
  await mkdir(files);
  await expect(start(dataDir)).rejects.toBeInstanceOf(StartError);
  await rm(files, { recursive: true });
  // A cluster outside of the data directory.
  await writeFile(join(dataDir, 'postgres-location'), join(dataDir, 'volume'));
  await expect(start(dataDir)).rejects.toThrow(`${join(dataDir, 'volume')} does not contain the database`);
  expect(await readFile(join(dataDir, 'postgres-location'), 'utf8')).toBe(join(dataDir, 'volume'));
  expect(await readFile(join(dataDir, 'postgres-password'), 'utf8')).toBe(password);
  await rename(join(dataDir, 'elsewhere'), join(dataDir, 'volume'));
  expect(await query((await start(dataDir)).url, 'select 1 as up')).toEqual([{ up: 1 }]);
});

test('a start that cannot store its port fails and leaves no server behind', async () => {
  const dataDir = await temporaryDirectory();
  await (await start(dataDir)).stop();
  await rm(join(dataDir, 'postgres-port'));
  await mkdir(join(dataDir, 'postgres-port', 'folder'), { recursive: true });
  await expect(start(dataDir)).rejects.toThrow('postgres-port');
  expect(await processesWith(dataDir)).toEqual([]);
});

test('another port is chosen if the port of the last start is busy', async () => {
  const dataDir = await temporaryDirectory();
  const first = await start(dataDir);
  await first.stop();
  const squatter = createServer().listen(first.port, '127.0.0.1');
  await once(squatter, 'listening');
  onTestFinished(() => void squatter.close());
  const second = await start(dataDir);
  expect(second.port).not.toBe(first.port);
  expect(await query(second.url, 'select 1 as up')).toEqual([{ up: 1 }]);
});

test('a busy port that the user chose is reported with advice', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  onTestFinished(() => void squatter.close());
  const { port } = squatter.address() as { port: number };
  const dataDir = await temporaryDirectory();
  await expect(startPostgres({ dataDir, port, log: silent })).rejects.toThrow(
    `Port ${port} is in use. Use --database-port <n>, or stop the program that listens there.`,
  );
});

test('files of another PostgreSQL release are refused and not changed', async () => {
  const dataDir = await temporaryDirectory();
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '12\n');
  await expect(start(dataDir)).rejects.toThrow(/was made by PostgreSQL 12, and this is 18/);
});

test.runIf(process.getuid?.() === 0)(
  'below a home of root that other users cannot enter, the cluster is placed where its user can go',
  async () => {
    const closed = join(homedir(), `interlock-launcher-${process.pid}`);
    await mkdir(closed, { mode: 0o700 });
    onTestFinished(async () => {
      await removeCluster(closed);
      await rm(closed, { recursive: true, force: true });
    });
    const said: string[] = [];
    const first = await start(closed, (line) => said.push(line));
    await query(first.url, 'create table note as select 42 as answer');
    await first.stop();
    const second = await start(closed);
    expect(await query(second.url, 'select answer from note')).toEqual([{ answer: 42 }]);
    expect(said.join()).toContain(`the database's user cannot enter ${closed}`);
  },
);
