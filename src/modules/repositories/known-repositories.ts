// Nearly every request names a repository only to reach something inside it. The row of a name changes only when the
// repository is deleted, so that a known name costs no statement until then. Every server is notified of deletions and
// forgets the names. All other columns are read when they are needed.
import type { Context } from '../../context.ts';
import { notFound } from '../../domain/errors.ts';
import type { Database } from '../../platform/database.ts';
import { requireRepositoryScope } from '../accounts/index.ts';
import { maySee } from './host-access.ts';
import type { RepositoryRow } from './repositories.entities.ts';
import { findRepository, type RepositoryName } from './repositories.reads.ts';
import type { Repository } from './repositories.types.ts';

type Identity = Pick<RepositoryRow, 'id' | 'owner' | 'name' | 'host' | 'createdAt'>;

const mostKnown = 10_000;
const knownOf = new WeakMap<Database, Map<string, Identity>>();
/** The payload is the id of a deleted repository. Empty: deletions may have been missed. */
export const deletionChannel = 'interlock_deleted_repositories';

/** Forgets the names of repositories that any process deletes, until it is stopped. */
export async function forgetDeleted(db: Database): Promise<() => Promise<void>> {
  return await db.system.listen(deletionChannel, () => forgetNames(db));
}

/** Replaces the map: a look-up in progress writes to the old one, which nobody reads any more. */
export function forgetNames(db: Database): void {
  knownOf.set(db, new Map());
}

/** Null: unknown, or another account's. */
export async function readRepository(ctx: Context, name: RepositoryName): Promise<Repository | null> {
  requireRepositoryScope(ctx);
  const known = knownOf.get(ctx.db) ?? new Map<string, Identity>();
  knownOf.set(ctx.db, known);
  const key = JSON.stringify([ctx.accountId, name.owner, name.name]);
  const identity = known.get(key);
  if (identity)
    return (await maySee(ctx, { ...identity, accountId: ctx.accountId })) ? new KnownRepository(ctx, identity) : null;
  const row = await findRepository(ctx, name);
  if (!row) return null;
  if (known.size >= mostKnown) known.delete(known.keys().next().value as string);
  known.set(key, { id: row.id, owner: row.owner, name: row.name, host: row.host, createdAt: row.createdAt });
  return row;
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

  // Read once, so that all columns are of one instant.
  private async read<T>(choose: (row: RepositoryRow) => T): Promise<T> {
    this.row ??= findRepository(this.ctx, this).then((row) => {
      if (!row) throw notFound('Repository');
      return row;
    });
    return choose(await this.row);
  }
}
