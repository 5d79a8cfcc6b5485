// Caches which repository has a name or an id. Nearly every request needs a repository only to reach its contents, or
// to show its name. A name leads to another repository only after a deletion or a rename, of which every server is
// notified. Other columns that can change are not cached, and are read when they are needed.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Database } from '../../platform/database.ts';
import { requireRepositoryScope } from '../accounts/index.ts';
import { maySee } from './host-access.ts';
import type { RepositoryRow } from './repositories.entities.ts';
import { findRepository, readRepositoriesById, type RepositoryName } from './repositories.reads.ts';
import type { Repository } from './repositories.types.ts';

type Identity = Pick<RepositoryRow, 'id' | 'owner' | 'name' | 'host' | 'createdAt'>;

const maxKnown = 20_000;
/** For each database, repositories by two keys: one of account and name, one of account and id. Both keys are JSON. */
const knownOf = new WeakMap<Database, Map<string, Identity>>();
/**
 * The channel of notifications about deleted repositories. The payload is the repository's id. An empty payload means
 * that a repository was renamed, or that notifications may have been missed.
 */
export const deletionChannel = 'interlock_deleted_repositories';

/**
 * Clears the cache of names whenever any process deletes or renames a repository. Returns a function that stops this.
 */
export async function clearNamesOnDeletion(db: Database): Promise<() => Promise<void>> {
  return await db.system.listen(deletionChannel, () => forgetNames(db));
}

/**
 * Replaces the map instead of clearing it. A look-up in progress then writes to the old map, which is no longer read.
 */
export function forgetNames(db: Database): void {
  knownOf.set(db, new Map());
}

/** Null: the account has no repository with this name. */
export async function readRepository(ctx: Context, name: RepositoryName): Promise<Repository | null> {
  requireRepositoryScope(ctx);
  const known = knownIn(ctx.db);
  const identity = known.get(keyOfName(ctx, name));
  if (identity)
    return (await maySee(ctx, { ...identity, accountId: ctx.accountId })) ? new KnownRepository(ctx, identity) : null;
  const row = await findRepository(ctx, name);
  if (row) remember(ctx, known, row);
  return row;
}

/** Throws NOT_FOUND if the account has no repository with this name. */
export async function loadKnownRepository(ctx: Context, name: RepositoryName): Promise<Repository> {
  const repository = await readRepository(ctx, name);
  if (repository === null) throw notFound('Repository');
  return repository;
}

/**
 * The repositories of the account with these ids, by id. Includes deleted repositories, and repositories that the
 * caller may not see at GitHub.
 */
export async function readKnownRepositories(
  ctx: Context,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Repository>> {
  requireRepositoryScope(ctx);
  const known = knownIn(ctx.db);
  const found = new Map<string, Repository>();
  for (const id of ids) {
    const identity = known.get(keyOfId(ctx, id));
    if (identity !== undefined) found.set(id, new KnownRepository(ctx, identity));
  }
  if (found.size === ids.size) return found;
  for (const row of await readRepositoriesById(
    ctx,
    [...ids].filter((id) => !found.has(id)),
  )) {
    found.set(row.id, row);
    if (!row.deletedAt) remember(ctx, known, row);
  }
  return found;
}

function knownIn(db: Database): Map<string, Identity> {
  const known = knownOf.get(db) ?? new Map<string, Identity>();
  knownOf.set(db, known);
  return known;
}

/** A look-up that began before a deletion writes to the map of that time, which is no longer read. */
function remember(ctx: Context, known: Map<string, Identity>, row: RepositoryRow): void {
  const { id, owner, name, host, createdAt } = row;
  for (const key of [keyOfName(ctx, row), keyOfId(ctx, id)]) {
    if (known.size >= maxKnown) known.delete(known.keys().next().value as string);
    known.set(key, { id, owner, name, host, createdAt });
  }
}

function keyOfName({ accountId }: Context, { owner, name }: RepositoryName): string {
  return JSON.stringify([accountId, owner, name]);
}

function keyOfId({ accountId }: Context, id: string): string {
  return JSON.stringify([accountId, id]);
}

class KnownRepository implements Repository {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly host: RepositoryRow['host'];
  readonly createdAt: Date;
  readonly deletedAt = null;
  private readonly ctx: Context;
  private row: Promise<RepositoryRow> | undefined;

  constructor(ctx: Context, identity: Identity) {
    this.ctx = ctx;
    this.id = identity.id;
    this.owner = identity.owner;
    this.name = identity.name;
    this.host = identity.host;
    this.createdAt = identity.createdAt;
  }

  get defaultBranch(): Promise<string> {
    return this.read((row) => row.defaultBranch);
  }

  get active(): Promise<boolean> {
    return this.read((row) => row.active);
  }

  get preparingSince(): Promise<Date | null> {
    return this.read((row) => row.preparingSince ?? null);
  }

  get paused(): Promise<boolean> {
    return this.read((row) => row.paused);
  }

  get configurationYaml(): Promise<string> {
    return this.read((row) => row.configurationYaml);
  }

  // The row is read once, so that all columns are of one instant.
  private async read<T>(choose: (row: RepositoryRow) => T): Promise<T> {
    this.row ??= findRepository(this.ctx, this).then((row) => {
      if (!row) throw notFound('Repository');
      return row;
    });
    return choose(await this.row);
  }
}
