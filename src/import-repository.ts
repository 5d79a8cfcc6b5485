// Imports a git repository into the local host, completely or not at all. Until everything is fetched, the row of a new
// repository is marked as not completed, and no other code uses it. A failed import removes the row and the folder. If
// an import is killed, the next import of the same name removes its row.
import pg from 'pg';
import type { Context } from './context.ts';
import { HostRefused, type ImportedRepository, toHostedRepository } from './hosts/port.ts';
import { StartError } from './launcher/start-error.ts';
import { listBranchesInUse, syncBase } from './modules/queue/index.ts';
import {
  beginRepository,
  completeRepository,
  findRepository,
  removeUnfinishedRepository,
  type RepositoryName,
} from './modules/repositories/index.ts';
import type { RepositoryRow } from './modules/repositories/repositories.entities.ts';
import { passFailpoint } from './platform/failpoints.ts';
import type { Service } from './service.ts';

export interface ImportTarget {
  readonly service: Pick<Service, 'localHost' | 'drain'>;
  readonly ctx: Context;
  readonly databaseUrl: string;
  /** Receives each line of git's progress. Left out: git reports no progress. */
  readonly onProgress?: (line: string) => void;
}

/** `source` is a path or a URL. Throws StartError. */
export async function importRepository(
  target: ImportTarget,
  name: RepositoryName,
  source: string,
): Promise<ImportedRepository> {
  return await withImportLock(target, name, async () => {
    const known = await findRepository(target.ctx, name);
    if (known?.active) return await updateRepository(target, known, source);
    if (known?.deactivatedAt)
      throw new StartError(`The repository ${nameOf(name)} is inactive: activate it by setRepositoryActive first.`);
    // An unfinished import may have fetched from another source, so its row and folder are removed.
    if (known !== null) await removeUnfinishedRepository(target.ctx, known.id);
    return await makeRepository(target, name, source);
  });
}

const nameOf = ({ owner, name }: RepositoryName): string => `${owner}/${name}`;

async function updateRepository(
  target: ImportTarget,
  repository: RepositoryRow,
  source: string,
): Promise<ImportedRepository> {
  if (repository.host !== 'local')
    throw new StartError(
      `The repository ${nameOf(repository)} is not a repository of the local host. Name another repository.`,
    );
  const { ctx } = target;
  const onlyForward = await listBranchesInUse(ctx, repository.id);
  // A source without this branch is probably another repository. Its default branch would become the default branch
  // here, so that the queue of this branch would take no pull request any more.
  const required = onlyForward.includes(repository.defaultBranch) ? repository.defaultBranch : null;
  return await fetchInto(target, { repository, source, onlyForward, required }, async ({ defaultBranch }) => {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.send('update repository set default_branch = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        repository.id,
        defaultBranch,
      ]);
    });
  }).catch(rethrowAsStartError);
}

async function makeRepository(target: ImportTarget, name: RepositoryName, source: string): Promise<ImportedRepository> {
  const { ctx } = target;
  const repository = await beginRepository(ctx, { ...name, host: 'local' });
  let isCompleted = false;
  try {
    await passFailpoint('import:begun');
    return await fetchInto(target, { repository, source }, async ({ defaultBranch }) => {
      await passFailpoint('import:fetched');
      await completeRepository(ctx, { id: repository.id, defaultBranch });
      isCompleted = true;
      await passFailpoint('import:completed');
    });
  } catch (error) {
    if (isCompleted)
      throw new StartError(
        `${nameOf(name)} is imported. A step after the import failed, and a running Interlock tries this step again within a minute: ${String(error)}`,
      );
    await removeUnfinishedRepository(ctx, repository.id);
    return rethrowAsStartError(error);
  }
}

async function fetchInto(
  { service, ctx, onProgress }: ImportTarget,
  {
    repository,
    source,
    onlyForward = [],
    required = null,
  }: {
    readonly repository: RepositoryRow;
    readonly source: string;
    readonly onlyForward?: readonly string[];
    readonly required?: string | null;
  },
  whenFetched: (imported: ImportedRepository) => Promise<void>,
): Promise<ImportedRepository> {
  const imported = await service.localHost.importRepository(toHostedRepository(repository), source, {
    onlyForward,
    required,
    whenFetched,
    onProgress,
  });
  await service.drain();
  await syncBase(ctx, toHostedRepository(repository), imported.defaultBranch);
  return imported;
}

/**
 * Runs `work` under an advisory lock, so that only one import of a name runs at a time. If the import is killed,
 * PostgreSQL frees the lock with the connection.
 */
async function withImportLock<T>(
  { ctx, databaseUrl }: ImportTarget,
  name: RepositoryName,
  work: () => Promise<T>,
): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl, application_name: 'interlock-import' });
  // If this connection breaks, the lock is lost. `work` fails by the same outage, so the error is ignored here.
  holder.on('error', () => {});
  await holder.connect();
  try {
    const { rows } = await holder.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [`import ${ctx.accountId} ${nameOf(name)}`],
    );
    if (!rows[0]?.held) throw new StartError(`Another import of ${nameOf(name)} is under way. Wait for its end.`);
    return await work();
  } finally {
    await holder.end();
  }
}

function rethrowAsStartError(error: unknown): never {
  throw error instanceof HostRefused ? new StartError(error.message) : error;
}
