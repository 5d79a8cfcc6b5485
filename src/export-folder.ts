// Exports all data of a repository or of an account into files that other programs can read.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyRepository, gitOf, repositoryPath } from './hosts/local/index.ts';
import type { Progress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { withSnapshot, type Snapshot } from './platform/backup/dump.ts';
import {
  planAccount,
  planRepository,
  readBinaryColumns,
  readCatalogue,
  selectOwned,
} from './platform/erasure/index.ts';
import { readVersion } from './platform/project-root.ts';
import { findAccount, makeEmptyFolder, splitName, type Account } from './tool.ts';

interface Repository {
  readonly accountId: string;
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly host: string;
}

/**
 * The content of `export.json`, which describes the folder. It is written last, so a folder without this file is not a
 * complete export.
 */
export interface ExportManifest {
  readonly format: 1;
  /** The version of Interlock that wrote the folder. */
  readonly version: string;
  /** The instant of the snapshot of all rows, in ISO 8601. */
  readonly exportedAt: string;
  readonly account: string;
  /** The exported repository as `owner/name`. Null: the whole account was exported. */
  readonly repository: string | null;
  /**
   * The tables with rows, each in `rows/<name>.jsonl`. `withheld`: columns that are left out because they store
   * secrets.
   */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly withheld: readonly string[] }[];
  /** The folders of the repositories of the local host, which git can clone. */
  readonly repositories: readonly string[];
}

export interface ExportRequest {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly name: string | undefined;
  readonly account: string | undefined;
}

/**
 * Exports into a folder that is empty or does not exist. If the export fails, what it has written is removed, so
 * that the same command can be tried again. Throws StartError.
 */
export async function exportTo(folder: string, progress: Progress, request: ExportRequest): Promise<ExportManifest> {
  let discard = async (): Promise<void> => {};
  const makeFolder = async (): Promise<void> => {
    discard = await makeEmptyFolder(folder, 'an export');
  };
  try {
    return await writeExport(folder, progress, { ...request, makeFolder });
  } catch (error) {
    await discard();
    throw error;
  }
}

async function writeExport(
  folder: string,
  progress: Progress,
  {
    databaseUrl,
    dataDir,
    name,
    account: named,
    makeFolder,
  }: ExportRequest & { readonly makeFolder: () => Promise<void> },
): Promise<ExportManifest> {
  const { manifest, repositories } = await progress.part(
    'Rows',
    async () =>
      await withSnapshot(databaseUrl, async (snapshot) => {
        const account = await findAccount(snapshot.query, named);
        const repositories = await findRepositories(snapshot, account, name);
        await makeFolder();
        return { repositories, manifest: await writeRows(snapshot, { folder, account, repositories, name }) };
      }),
  );
  const copied = await progress.part('Repositories', async () => await copyRepositories(repositories, dataDir, folder));
  const whole = { ...manifest, repositories: copied };
  await writeFile(join(folder, 'export.json'), `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
  return whole;
}

/**
 * Returns the named repository, or all repositories of the account. Deleted repositories are left out, because they
 * have no name any more. Their rows are exported with the account's.
 */
async function findRepositories(
  { query }: Snapshot,
  account: Account,
  name: string | undefined,
): Promise<readonly Repository[]> {
  const all = await query<Repository>(
    `select account_id::text as "accountId", id::text as id, owner, name, host from repository
     where account_id = $1::bigint and deleted_at is null order by id`,
    [account.id],
  );
  if (name === undefined) return all;
  const wanted = splitName(name);
  const found = all.filter((each) => each.owner === wanted.owner && each.name === wanted.name);
  if (found.length === 0) throw new StartError(`There is no repository ${name} in the account ${account.name}.`);
  return found;
}

interface Export {
  readonly folder: string;
  readonly account: Account;
  readonly repositories: readonly Repository[];
  readonly name: string | undefined;
}

/** Writes the same rows that an erasure would delete. */
async function writeRows(snapshot: Snapshot, of: Export): Promise<Omit<ExportManifest, 'repositories'>> {
  const { account, repositories, name } = of;
  const [moment] = await snapshot.query<{ at: Date }>('select now() as at');
  const catalogue = await readCatalogue(snapshot.query);
  const ownership = name === undefined ? planAccount(catalogue, []) : planRepository(catalogue, []);
  const owner = [account.id, ...(name === undefined ? [] : repositories.map(({ id }) => id))];
  const tables: ExportManifest['tables'][number][] = [];
  await mkdir(join(of.folder, 'rows'), { mode: 0o700 });
  for (const { table, text, withheld } of selectOwned(ownership, owner, await readBinaryColumns(snapshot.query))) {
    const isEmpty = (await snapshot.query(`select from (${text} limit 1) first`)).length === 0;
    if (isEmpty) continue;
    const rows = await snapshot.writeLines(join(of.folder, 'rows', `${table}.jsonl`), text);
    tables.push({ name: table, rows, withheld });
  }
  return {
    format: 1,
    version: readVersion(),
    exportedAt: moment?.at.toISOString() ?? '',
    account: account.name,
    repository: name ?? null,
    tables: tables.toSorted((one, other) => one.name.localeCompare(other.name)),
  };
}

/** Copies the repositories of the local host. Those of GitHub are not copied, because their commits are at GitHub. */
async function copyRepositories(
  repositories: readonly Repository[],
  dataDir: string,
  folder: string,
): Promise<readonly string[]> {
  const git = gitOf(dataDir);
  const copied: string[] = [];
  try {
    for (const repository of repositories.filter(({ host }) => host === 'local')) {
      const path = join('repositories', repository.owner, `${repository.name}.git`);
      if (await copyRepository(git, join(dataDir, repositoryPath(repository)), join(folder, path))) copied.push(path);
    }
  } finally {
    await git.processes.stop();
  }
  return copied;
}
