// Reads repositories by named prepared statements. Row-level security limits each statement to the account, and each
// statement names the account too.
import type { Context, Scope } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { requireRepositoryScope, requireScope } from '../accounts/index.ts';
import { filterSeen, maySee, readSeenPage, requireAtHost, seenAtOnce, seenRows } from './host-access.ts';
import type { RepositoryRow } from './repositories.entities.ts';

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

const columns = `r.id, r.account_id as "accountId", r.owner, r.name, r.host, r.default_branch as "defaultBranch", r.active, r.deactivated_at as "deactivatedAt", r.preparing_since as "preparingSince", r.deleted_at as "deletedAt", r.paused,
  r.configuration_yaml as "configurationYaml", r.configuration_hash as "configurationHash", r.configuration_blob as "configurationBlob",
  r.planner_version as "plannerVersion",
  r.created_at as "createdAt"`;

/**
 * Null: the account has no repository with this name, or the repository is at GitHub and GitHub hides it from the
 * caller.
 */
export async function findRepository(ctx: Context, { owner, name }: RepositoryName): Promise<RepositoryRow | null> {
  // The path of a URL may contain a NUL, which PostgreSQL accepts in no text.
  if (owner.includes('\0') || name.includes('\0')) return null;
  const [row] = await ctx.db.read<RepositoryRow>(ctx.accountId, {
    name: 'repository_by_name',
    text: `select ${columns} from repository r where r.account_id = $1 and r.owner = $2 and r.name = $3 and r.deleted_at is null`,
    values: [ctx.accountId, owner, name],
  });
  return row && (await maySee(ctx, row)) ? row : null;
}

/**
 * Throws NOT_FOUND if the caller sees no such repository. With a scope, throws FORBIDDEN if GitHub does not give the
 * caller the permission that the scope needs in this repository.
 */
export async function loadRepository(ctx: Context, name: RepositoryName, scope?: Scope): Promise<RepositoryRow> {
  const row = await findRepository(ctx, name);
  if (!row) throw notFound('Repository');
  if (scope !== undefined) await requireAtHost(ctx, row, scope);
  return row;
}

/**
 * Must be called before work starts in a repository. Throws BAD_INPUT if the repository is inactive, and CONFLICT if it
 * was deleted. Running work and reads need no active repository.
 */
export function requireActive(repository: Pick<RepositoryRow, 'active' | 'deletedAt' | 'owner' | 'name'>): void {
  requireNotDeleted(repository);
  const { active, owner, name } = repository;
  if (active) return;
  throw new DomainError(
    'BAD_INPUT',
    `The repository ${owner}/${name} is inactive: an admin activates it by setRepositoryActive with active: true`,
    'input.repository',
  );
}

/** Throws CONFLICT if the repository was deleted, because its commits are gone. */
export function requireNotDeleted({
  deletedAt,
  owner,
  name,
}: Pick<RepositoryRow, 'deletedAt' | 'owner' | 'name'>): void {
  if (deletedAt) throw new DomainError('CONFLICT', `The repository ${owner}/${name} was deleted`, 'input.repository');
}

/** Like `loadRepository`, but throws BAD_INPUT if the repository is inactive. */
export async function loadActiveRepository(ctx: Context, name: RepositoryName, scope?: Scope): Promise<RepositoryRow> {
  const row = await loadRepository(ctx, name, scope);
  requireActive(row);
  return row;
}

/** Includes deleted repositories, because history refers to them. */
export async function readRepositoriesById(ctx: Context, ids: readonly string[]): Promise<RepositoryRow[]> {
  requireRepositoryScope(ctx);
  return await ctx.db.read<RepositoryRow>(ctx.accountId, {
    name: 'repositories_by_id',
    text: `select ${columns} from repository r where r.account_id = $1 and r.id = any ($2::bigint[])`,
    values: [ctx.accountId, ids],
  });
}

/**
 * Whether the caller may read the contents of a repository. GitHub is queried only if the caller's role follows GitHub.
 */
export async function maySeeInside(ctx: Context, repositoryId: string): Promise<boolean> {
  if (ctx.actor.personAtGitHub === null) return true;
  const [row] = await readRepositoriesById(ctx, [repositoryId]);
  return row !== undefined && (await maySee(ctx, row));
}

/**
 * Throws NOT_FOUND if the caller may no longer read the repository. Subscriptions call this for every event, because
 * the caller may have lost access.
 */
export async function requireStillSeen(ctx: Context, repositoryId: string): Promise<void> {
  if (!(await maySeeInside(ctx, repositoryId))) throw notFound('Repository');
}

/** Wraps the reads of a subscription that does not follow events. They throw like `requireStillSeen`. */
export function readWhileSeen<Page, Found>(
  ctx: Context,
  repositoryId: string,
  read: (page: Page) => Promise<Found>,
): (page: Page) => Promise<Found> {
  return async (page) => {
    await requireStillSeen(ctx, repositoryId);
    return await read(page);
  };
}

/** Throws FORBIDDEN unless GitHub gives the caller the permission that the scope needs in the repository. */
export async function requireAtHostOf(ctx: Context, repositoryId: string, scope: Scope): Promise<void> {
  if (ctx.actor.personAtGitHub === null) return;
  for (const row of await readRepositoriesById(ctx, [repositoryId])) await requireAtHost(ctx, row, scope);
}

export interface RepositoryPage {
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly offset: number;
  readonly after: RepositoryName | null;
}

/** The repositories by owner, then by name. */
export async function readRepositories(
  ctx: Context,
  { size, offset, after }: RepositoryPage,
): Promise<RepositoryRow[]> {
  requireScope(ctx, 'queue:read');
  return await ctx.db.read<RepositoryRow>(ctx.accountId, {
    name: 'repositories',
    text: `select ${columns} from repository r
           where r.account_id = $1 and r.deleted_at is null and ($2::text is null or (r.owner, r.name) > ($2, $3::text))
           order by r.owner, r.name limit $4::bigint + 1 offset $5::bigint`,
    values: [ctx.accountId, after?.owner ?? null, after?.name ?? null, size, offset],
  });
}

function seenFrom(ctx: Context, start: RepositoryPage['after']) {
  return {
    read: async (after: RepositoryRow | null) =>
      await readRepositories(ctx, { size: seenAtOnce - 1, offset: 0, after: after ?? start }),
    filter: async (rows: readonly RepositoryRow[]) => await filterSeen(ctx, rows),
  };
}

/** Like `readRepositories`, for the repositories whose existence the caller may know. */
export async function readSeenRepositories(ctx: Context, page: RepositoryPage): Promise<RepositoryRow[]> {
  if (ctx.actor.personAtGitHub === null) return await readRepositories(ctx, page);
  return await readSeenPage(page, seenFrom(ctx, page.after));
}

export async function countSeenRepositories(ctx: Context): Promise<number> {
  if (ctx.actor.personAtGitHub === null) return await countRepositories(ctx);
  let count = 0;
  for await (const rows of seenRows(seenFrom(ctx, null))) count += rows.length;
  return count;
}

async function countRepositories(ctx: Context): Promise<number> {
  requireScope(ctx, 'queue:read');
  const [row] = await ctx.db.read<{ count: number }>(ctx.accountId, {
    name: 'repositories_count',
    text: 'select count(*)::integer as count from repository where account_id = $1 and deleted_at is null',
    values: [ctx.accountId],
  });
  return row?.count ?? 0;
}
