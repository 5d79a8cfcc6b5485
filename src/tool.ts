// The common parts of the command line programs besides `npm start`. They use the service of a data directory, whether
// or not Interlock is running on it.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import pg from 'pg';
import { systemContext, type Context } from './context.ts';
import { hostSettingsFrom } from './host-settings.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { isDirectoryOfStart } from './launcher/data-directory.ts';
import { assertGit } from './launcher/git-program.ts';
import { lockDataDirectory } from './launcher/access.ts';
import { openPostgres, prepareSchema } from './launcher/parts.ts';
import { readRuntime } from './launcher/runtime.ts';
import { StartError } from './launcher/start-error.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { findRepository } from './modules/repositories/index.ts';
import type { RepositoryRow } from './modules/repositories/repositories.entities.ts';
import { assertSecret, readStoredSecrets } from './parts.ts';
import { createLog, openLogDestination, secretsOf } from './platform/logging.ts';
import { parseArguments } from './run-tool.ts';
import { createService, type Service } from './service.ts';

export interface ToolOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

/**
 * Runs `work` with a service on the data directory and the URL of its database. The database is that of the running
 * Interlock, or is started for this program.
 */
export async function withService<T>(
  options: ToolOptions,
  work: (service: Service, databaseUrl: string) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(options.dataDir);
  await assertGit();
  const database = await findDatabase(dataDir, options.databaseUrl);
  if (database.isStartedHere || options.databaseUrl !== undefined) await prepareSchema(database.url, console.error);
  const log = createLog({
    level: 'error',
    secrets: secretsOf({ ...process.env, DATABASE_URL: database.url }),
    destination: openLogDestination({ dest: 2 }),
  });
  const secrets = await readStoredSecrets(dataDir);
  // This service sends no wakes. The relay of a running Interlock finds the changed rows.
  const service = await createService({
    databaseUrl: database.url,
    dataDir,
    publicUrl: 'http://127.0.0.1:4000',
    log,
    wake: async () => {},
    poolSize: 4,
    ...hostSettingsFrom(process.env),
    ...(isDirectoryOfStart(dataDir) && { sharesDataDirectory: true }),
    // The secrets are needed to open the private keys of GitHub Apps.
    ...(secrets === null ? {} : { secrets }),
  });
  try {
    if (secrets !== null) await assertSecret(service.ports, secrets);
    return await work(service, database.url);
  } finally {
    await service.stop();
    await database.stop();
  }
}

/** The repository that is the argument of a program, and the program's options. */
export interface NamedRepository {
  readonly ctx: Context;
  readonly repository: RepositoryRow;
  /** The name as the user gave it: `<owner>/<name>`. */
  readonly name: string;
  /** Whether the program prints one JSON document instead of text. */
  readonly json: boolean;
  /** The secrets of the installation. Null: neither the environment nor the data directory has them. */
  readonly secrets: Secrets | null;
  /** The options of this program only, by their names. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

export interface RepositoryProgram {
  /** The name of the program, such as `verify`. */
  readonly program: string;
  readonly description: string;
  /** The arguments in the examples of the program's help text. */
  readonly calls: readonly string[];
  /** The flags and descriptions of options that only this program has. */
  readonly options?: readonly (readonly [string, string])[];
}

/** Reads the arguments of a program about one repository, and runs `work` with that repository. */
export async function withNamedRepository<T>(
  { program, description, calls, options = [] }: RepositoryProgram,
  work: (of: NamedRepository) => Promise<T>,
): Promise<T> {
  const command = new Command(calledAs(program))
    .description(description)
    .argument('<owner/name>', 'repository')
    .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
    .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
    .option('--account <name>', 'account, where there are several')
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', examplesOf(program, ...calls));
  for (const [flags, meaning] of options) command.option(flags, meaning);
  parseArguments(command);
  const { data, databaseUrl, account, json } = command.opts<{
    data: string;
    databaseUrl?: string;
    account?: string;
    json?: boolean;
  }>();
  const name = command.args[0] ?? '';
  return await withService({ dataDir: data, databaseUrl }, async (service) => {
    const ctx = await contextOf(service, account);
    const repository = await repositoryOf(ctx, name);
    if (repository === null) throw new StartError(`There is no repository ${name}.`);
    const secrets = await readStoredSecrets(resolve(data));
    return await work({ ctx, repository, name, json: json ?? false, secrets, options: command.opts() });
  });
}

/** How many repositories, as text. */
export function countRepositories({ length }: readonly unknown[]): string {
  return length === 1 ? '1 repository' : `${length} repositories`;
}

export interface FoundDatabase {
  readonly url: string;
  /** Whether the database was started for this program, because Interlock does not run. */
  readonly isStartedHere: boolean;
  stop(): Promise<void>;
}

/** Finds the database of the data directory, or the named database. Its schema is not migrated. */
export async function findDatabase(dataDir: string, given: string | undefined): Promise<FoundDatabase> {
  const running = given === undefined ? await readRuntime(dataDir) : null;
  if (running !== null && (await answers(running.databaseUrl)))
    return { url: running.databaseUrl, isStartedHere: false, stop: async () => {} };
  // Without this check, a mistyped directory would become a new installation.
  if (given === undefined && !existsSync(join(dataDir, 'postgres-password')))
    throw new StartError(
      `There is no Interlock in ${dataDir}. Name its data directory by --data <dir>, or its database by --database-url <url>.`,
    );
  const lock = given === undefined ? await lockDataDirectory(dataDir) : null;
  const database = await openPostgres(given, { dataDir, log: () => {} });
  return {
    url: database.url,
    isStartedHere: given === undefined,
    stop: async () => {
      await database.stop();
      await lock?.release();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

export interface Account {
  readonly id: string;
  readonly name: string;
}

type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The named account, or the only account of the installation. `query` reads across accounts. */
export async function findAccount(query: Query, account: string | undefined): Promise<Account> {
  const accounts = await query<Account>('select id::text as id, name from account order by id');
  const found = account === undefined ? accounts : accounts.filter(({ name }) => name === account);
  const [only, ...others] = found;
  if (only === undefined)
    throw new StartError(
      account === undefined
        ? 'There is no account yet. Start Interlock once: npm start'
        : `There is no account ${account}.`,
    );
  if (others.length > 0)
    throw new StartError(
      `There are several accounts. Name one: --account ${found.map(({ name }) => name).join(' | ')}`,
      'usage',
    );
  return only;
}

/** The context of the service itself, for the account that `findAccount` finds. */
export async function contextOf(service: Service, account: string | undefined): Promise<Context> {
  const { id } = await findAccount(service.ports.db.system.query, account);
  return systemContext(service.ports, id);
}

export async function repositoryOf(ctx: Context, name: string): Promise<RepositoryRow | null> {
  return await findRepository(ctx, splitName(name));
}

export function splitName(name: string): { owner: string; name: string } {
  const parts = name.split('/');
  const [owner, repository] = parts;
  if (parts.length !== 2 || !owner || !repository)
    throw new StartError(`A repository is named <owner>/<name>, not ${name}.`, 'usage');
  return { owner, name: repository };
}

/**
 * The folder to which a user's relative paths refer. npm runs programs in the folder of the project, and has the user's
 * folder in INIT_CWD.
 */
export function callersFolder(): string {
  return process.env['INIT_CWD'] ?? '.';
}

/**
 * Makes a folder. Throws StartError if the folder is not empty. `what` is the content for the message, such as `a
 * backup`. Returns a function that discards what was written into the folder. It removes the folder too, unless the
 * folder existed before. Such a folder may be a mount point, which nobody can remove.
 */
export async function makeEmptyFolder(folder: string, what: string): Promise<() => Promise<void>> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  if ((await readdir(folder)).length > 0)
    throw new StartError(
      `${folder} is not empty. Name a new folder by --to <dir>: ${what} never replaces another one.`,
    );
  return async () => {
    const written = isNew ? [folder] : (await readdir(folder)).map((name) => join(folder, name));
    for (const path of written) await rm(path, { recursive: true, force: true });
  };
}
