// An import brings a git repository into the local host whole, or leaves nothing. Until everything is fetched, the row
// of a new repository is one whose creation was not completed, which nobody uses. A failed import removes that row and
// its folder. The row of a killed import is removed by the next import of the name.
import pg from 'pg';
import type { Context } from './context.ts';
import { HostRefused, type ImportedRepository } from './hosts/port.ts';
import { StartError } from './launcher/start-error.ts';
import { hosted, syncBase } from './modules/queue/index.ts';
import {
  beginRepository,
  completeRepository,
  findRepository,
  removeUnfinished,
  type RepositoryName,
} from './modules/repositories/index.ts';
import type { RepositoryRow } from './modules/repositories/repositories.entities.ts';
import { passFailpoint } from './platform/failpoints.ts';
import type { Service } from './service.ts';

export interface ImportTarget {
  readonly service: Pick<Service, 'localHost' | 'drain'>;
  readonly ctx: Context;
  readonly databaseUrl: string;
}

/** `source`: a path or a URL. Throws a StartError that says what is wrong. */
export async function importRepository(
  target: ImportTarget,
  name: RepositoryName,
  source: string,
): Promise<ImportedRepository> {
  return await alone(target, name, async () => {
    const known = await findRepository(target.ctx, name);
    if (known?.active) return await updateRepository(target, known, source);
    if (known?.deactivatedAt)
      throw new StartError(
        `The repository ${called(name)} is out of use: take it into use by setRepositoryActive first.`,
      );
    // Another source may have been fetched into it.
    if (known !== null) await removeUnfinished(target.ctx, known.id);
    return await makeRepository(target, name, source);
  });
}

const called = ({ owner, name }: RepositoryName): string => `${owner}/${name}`;

async function updateRepository(
  target: ImportTarget,
  repository: RepositoryRow,
  source: string,
): Promise<ImportedRepository> {
  if (repository.host !== 'local')
    throw new StartError(`The repository ${called(repository)} is not of the local host. Name another one.`);
  const { ctx } = target;
  return await bring(target, { repository, source }, async ({ defaultBranch }) => {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.query('update repository set default_branch = $3 where account_id = $1 and id = $2', [
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
    return await bring(target, { repository, source }, async ({ defaultBranch }) => {
      await passFailpoint('import:fetched');
      await completeRepository(ctx, { id: repository.id, defaultBranch });
      isCompleted = true;
      await passFailpoint('import:completed');
    });
  } catch (error) {
    if (isCompleted)
      throw new StartError(
        `${called(name)} is imported. What follows an import failed, and a running Interlock tries it again within a minute: ${String(error)}`,
      );
    await removeUnfinished(ctx, repository.id);
    return rethrowAsStartError(error);
  }
}

async function bring(
  { service, ctx }: ImportTarget,
  { repository, source }: { readonly repository: RepositoryRow; readonly source: string },
  whenFetched: (imported: ImportedRepository) => Promise<void>,
): Promise<ImportedRepository> {
  const imported = await service.localHost.importRepository(hosted(repository), source, whenFetched);
  await service.drain();
  await syncBase(ctx, hosted(repository), imported.defaultBranch);
  return imported;
}

/** One import of a name at a time. A killed one holds nothing: the lock ends with its connection. */
async function alone<T>({ ctx, databaseUrl }: ImportTarget, name: RepositoryName, work: () => Promise<T>): Promise<T> {
  const holder = new pg.Client({ connectionString: databaseUrl, application_name: 'interlock-import' });
  // The lock is lost with the connection. The work meets the same outage, and fails by itself.
  holder.on('error', () => {});
  await holder.connect();
  try {
    const { rows } = await holder.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [`import ${ctx.accountId} ${called(name)}`],
    );
    if (!rows[0]?.held) throw new StartError(`Another import of ${called(name)} is under way. Wait for its end.`);
    return await work();
  } finally {
    await holder.end();
  }
}

function rethrowAsStartError(error: unknown): never {
  throw error instanceof HostRefused ? new StartError(error.message) : error;
}
