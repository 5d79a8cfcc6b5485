// An account with a repository on a local host: real git in a folder, and a database for the test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLocalHost, type LocalHost } from '../../src/hosts/local/index.ts';
import type { HostEvent, HostRepository, WantedChecks } from '../../src/hosts/port.ts';
import type { Database } from '../../src/platform/database.ts';
import { takeDatabase } from '../support/kept-databases.ts';
import { commit, type CommitInput, git } from './commits.ts';

/** The checks that this host expects. The caller expects none, because this host knows its checks by itself. */
export const anyChecks: WantedChecks = { expected: [], movedAt: null };

export interface LocalWorld {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly host: LocalHost;
  readonly repository: HostRepository;
  /** The folder of the bare repository. */
  readonly directory: string;
  readonly events: HostEvent[];
  commit(input: CommitInput): string;
  git(...args: string[]): string;
  /** Another account with an empty repository of the same name. */
  neighbour(): Promise<HostRepository>;
  /** Another host on the same data, as in another process. */
  secondHost(): LocalHost;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function localWorld(): Promise<LocalWorld> {
  const database = await takeDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-host-'));
  const db = database.database;
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const events: HostEvent[] = [];
  const open = (): LocalHost =>
    createLocalHost({
      dataDir,
      db,
      emit: (event) => events.push(event),
      publicUrl: 'http://localhost:4000',
      clock: () => new Date(),
    });
  const host = open();
  let accounts = 0;
  const newRepository = async (): Promise<HostRepository> => {
    const account = await owner.query<{ id: string }>(
      'insert into account (name) values ($1) returning id::text as id',
      [`account-${++accounts}`],
    );
    const accountId = account.rows[0]?.id ?? '';
    const row = await owner.query<{ id: string }>(
      `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash) values ($1, 'acme', 'shop', 'local', '', '') returning id::text as id`,
      [accountId],
    );
    const repository = { accountId, id: row.rows[0]?.id ?? '', owner: 'acme', name: 'shop' };
    await host.ensureRepository(repository, { defaultBranch: 'main' });
    return repository;
  };
  const repository = await newRepository();
  const directory = host.installation.directoryOf(repository);
  return {
    db,
    databaseUrl: database.url,
    dataDir,
    host,
    repository,
    directory,
    events,
    commit: (input) => commit(directory, input),
    git: (...args) => git(directory, ...args),
    neighbour: newRepository,
    secondHost: open,
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await owner.query<Row>(text, [...values])).rows,
    close: async () => {
      await owner.end();
      await db.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls `look` until it returns something. Fails with `what` after ninety seconds. */
export async function until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  const end = Date.now() + 90_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited 90 s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
