// Nearly every request names a repository only to ask for something inside of it. Which row a name belongs to never
// changes (a repository is neither renamed nor deleted: whoever adds that has to forget names here, in every
// process), so a name that was found once costs no statement again. Whatever may change is read when it is asked for.
import type { Context } from '../../context.ts';
import type { Database } from '../../platform/database.ts';
import { requireRepositoryScope } from '../accounts/index.ts';
import type { RepositoryRow } from './repositories.entities.ts';
import { findRepository, type RepositoryName } from './repositories.reads.ts';
import type { Repository } from './repositories.types.ts';

type Identity = Pick<RepositoryRow, 'id' | 'owner' | 'name' | 'host' | 'createdAt'>;

const mostKnown = 10_000;
const knownOf = new WeakMap<Database, Map<string, Identity>>();

/** Null: unknown, or another account's. */
export async function readRepository(ctx: Context, name: RepositoryName): Promise<Repository | null> {
  requireRepositoryScope(ctx);
  const known = knownOf.get(ctx.db) ?? new Map<string, Identity>();
  knownOf.set(ctx.db, known);
  const key = JSON.stringify([ctx.accountId, name.owner, name.name]);
  const identity = known.get(key);
  if (identity) return new KnownRepository(ctx, identity);
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

  get paused(): Promise<boolean> {
    return this.read((row) => row.paused);
  }

  get configurationYaml(): Promise<string> {
    return this.read((row) => row.configurationYaml);
  }

  // Once: all of it is of one instant.
  private async read<T>(choose: (row: RepositoryRow) => T): Promise<T> {
    this.row ??= findRepository(this.ctx, this).then((row) => {
      if (!row) throw new Error(`The repository ${this.owner}/${this.name} is gone.`);
      return row;
    });
    return choose(await this.row);
  }
}
