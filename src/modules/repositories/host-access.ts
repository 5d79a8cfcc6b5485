// Decides what a user whose role follows GitHub may do in a repository at GitHub. Requests query GitHub, and the answer
// is cached for five minutes, so that a person who loses access at GitHub loses access to Interlock too. For a user
// whose role an admin of the account set, GitHub is not queried.
import type { Context, Scope } from '../../context.ts';
import { isBot, isPermissionEnough, neededPermissions } from '../../domain/accounts/github-people.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  AppNotInstalled,
  hostClient,
  HostUnavailable,
  type HostedRepository,
  type HostPermission,
} from '../../hosts/port.ts';

type NamedRepository = HostedRepository & { readonly owner: string; readonly name: string };

/** Whether the caller may know that the repository exists. */
export async function maySee(ctx: Context, repository: NamedRepository): Promise<boolean> {
  return isPermissionEnough(await permissionOfCaller(ctx, repository), 'read');
}

/** Throws FORBIDDEN unless GitHub gives the caller the permission that the scope needs in the repository. */
export async function requireAtHost(ctx: Context, repository: NamedRepository, scope: Scope): Promise<void> {
  const refusal = (await refusalsAtHost(ctx, repository))(scope);
  if (refusal !== null) throw new DomainError('FORBIDDEN', refusal);
}

/**
 * Returns a function from a scope to the reason why GitHub does not let the caller use it in the repository. Null:
 * GitHub lets the caller use it.
 */
export async function refusalsAtHost(
  ctx: Context,
  repository: NamedRepository,
): Promise<(scope: Scope) => string | null> {
  const has = await permissionOfCaller(ctx, repository);
  return (scope) => {
    const needed = neededPermissions[scope];
    if (isPermissionEnough(has, needed)) return null;
    return `This needs the permission ${needed} in ${repository.owner}/${repository.name} at GitHub; ${ctx.actor.personAtGitHub?.login ?? 'you'} has ${has ?? 'none'}.`;
  };
}

/** Returns the repositories whose existence the caller may know. */
export async function filterSeen<Row extends NamedRepository>(ctx: Context, rows: readonly Row[]): Promise<Row[]> {
  if (ctx.actor.personAtGitHub === null) return [...rows];
  const seen = await Promise.all(rows.map(async (row) => await maySee(ctx, row)));
  return rows.filter((_row, at) => seen[at]);
}

/** How many rows one statement reads, before the rows that GitHub hides from the person are left out. */
export const seenAtOnce = 50;

interface SeenRows<Row> {
  /** Reads the first `seenAtOnce` rows after a row, or fewer at the end. Null: from the beginning. */
  readonly read: (after: Row | null) => Promise<readonly Row[]>;
  readonly filter: (rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** Reads all rows that the caller may see, chunk by chunk. */
export async function* seenRows<Row>({ read, filter }: SeenRows<Row>): AsyncGenerator<readonly Row[]> {
  for (let after: Row | null = null; ; ) {
    const rows: readonly Row[] = await read(after);
    yield await filter(rows);
    if (rows.length < seenAtOnce) return;
    after = rows.at(-1) ?? null;
  }
}

/**
 * Reads a page of the rows that the caller may see, and one row more if there is one. A hidden row shortens no page and
 * ends none, because its name would be in the cursor.
 */
export async function readSeenPage<Row>(
  { size, offset = 0 }: { readonly size: number; readonly offset?: number },
  rows: SeenRows<Row>,
): Promise<Row[]> {
  const end = offset + size + 1;
  const seen: Row[] = [];
  for await (const chunk of seenRows(rows)) {
    seen.push(...chunk);
    if (seen.length >= end) break;
  }
  return seen.slice(offset, end);
}

/**
 * The permission of a handle in a repository at GitHub. `trusted`: the repository is not at GitHub, or the handle
 * belongs to an App. An App is trusted, because a person with the right to do so installed the App. `isForLanding`: a
 * batch cannot go on without this read.
 */
export async function permissionOfHandle(
  ctx: Context,
  repository: NamedRepository,
  login: string,
  { isForLanding = false }: { readonly isForLanding?: boolean } = {},
): Promise<HostPermission | null | 'trusted'> {
  if (repository.host !== 'github' || isBot(login)) return 'trusted';
  return await hostClient(ctx, repository).readPermission({ login, id: null, isForLanding });
}

async function permissionOfCaller(ctx: Context, repository: NamedRepository): Promise<HostPermission | null> {
  const { personAtGitHub } = ctx.actor;
  if (personAtGitHub === null || repository.host !== 'github') return 'admin';
  try {
    return await hostClient(ctx, repository).readPermission(personAtGitHub);
  } catch (error) {
    // GitHub no longer says who sees the repository. A list of repositories must not fail because of it.
    if (error instanceof AppNotInstalled) return null;
    if (error instanceof HostUnavailable)
      throw new DomainError('HOST_UNAVAILABLE', 'Your permissions could not be read from GitHub. Try again.');
    throw error;
  }
}
