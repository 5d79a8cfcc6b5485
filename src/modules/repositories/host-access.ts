// What people of GitHub may do in a repository at GitHub is asked of GitHub at each request, and kept for five minutes:
// somebody who loses access there loses it here. Users whose role an admin of the account set are not asked about.
import type { Context, Scope } from '../../context.ts';
import { isBot, isPermissionEnough, neededAtGitHub } from '../../domain/accounts/github-people.ts';
import { DomainError } from '../../domain/errors.ts';
import { hostClient, HostUnavailable, type HostedRepository, type HostPermission } from '../../hosts/port.ts';

type Named = HostedRepository & { readonly owner: string; readonly name: string };

/** Whether the caller may know that the repository is there. */
export async function maySee(ctx: Context, repository: Named): Promise<boolean> {
  return isPermissionEnough(await permissionOfCaller(ctx, repository), 'read');
}

/** Throws FORBIDDEN unless GitHub lets the person do in the repository what the scope means. */
export async function requireAtHost(ctx: Context, repository: Named, scope: Scope): Promise<void> {
  const refusal = (await refusalsAtHost(ctx, repository))(scope);
  if (refusal !== null) throw new DomainError('FORBIDDEN', refusal);
}

/** What the caller lacks at GitHub to use a scope in the repository. Null: nothing. */
export async function refusalsAtHost(ctx: Context, repository: Named): Promise<(scope: Scope) => string | null> {
  const has = await permissionOfCaller(ctx, repository);
  return (scope) => {
    const needed = neededAtGitHub[scope];
    if (isPermissionEnough(has, needed)) return null;
    return `This needs the permission ${needed} in ${repository.owner}/${repository.name} at GitHub; ${ctx.actor.atGitHub?.login ?? 'you'} has ${has ?? 'none'}.`;
  };
}

/** The repositories that the caller may know of. */
export async function onlySeen<Row extends Named>(ctx: Context, rows: readonly Row[]): Promise<Row[]> {
  if (ctx.actor.atGitHub === null) return [...rows];
  const seen = await Promise.all(rows.map(async (row) => await maySee(ctx, row)));
  return rows.filter((_row, at) => seen[at]);
}

/**
 * What a person who is known only by a handle may do in a repository at GitHub. `trusted`: the repository is not
 * at GitHub, or the handle is an App's. Somebody with the right to do so installed the App.
 */
export async function permissionOfHandle(
  ctx: Context,
  repository: Named,
  login: string,
): Promise<HostPermission | null | 'trusted'> {
  if (repository.host !== 'github' || isBot(login)) return 'trusted';
  return await hostClient(ctx, repository).readPermission({ login, id: null });
}

async function permissionOfCaller(ctx: Context, repository: Named): Promise<HostPermission | null> {
  const { atGitHub } = ctx.actor;
  if (atGitHub === null || repository.host !== 'github') return 'admin';
  try {
    return await hostClient(ctx, repository).readPermission(atGitHub);
  } catch (error) {
    if (error instanceof HostUnavailable)
      throw new DomainError('HOST_UNAVAILABLE', 'GitHub could not be asked what you may do there. Try again.');
    throw error;
  }
}
