// Finds the repository or pull request of a path, and checks the permissions of the actor.
import { mustHave, mustSee, type Need } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type { Account, PullRequest, Repository } from '../model/types.ts';
import { ApiError, notFound } from './errors.ts';
import type { RestRequest } from './route.ts';

/**
 * Returns the repository of the path. Throws 404 if the actor may not see the repository, 403 if the actor lacks a
 * permission, and 301 or 307 if the path has an earlier name.
 */
export function reachRepository(request: RestRequest, need: Need): Repository {
  const { core, params, actor } = request;
  const { owner = '', repo = '' } = params;
  const found = findRepository(core, owner, repo);
  if (found === undefined) {
    const renamed = findFormer(core, owner, repo);
    if (renamed !== undefined) throw moved(request, mustSee(core, actor, renamed));
  }
  const repository = mustSee(core, actor, found);
  mustHave(core, actor, { repository, need });
  return repository;
}

export function reachPull(request: RestRequest, need: Need): { repository: Repository; pull: PullRequest } {
  const repository = reachRepository(request, need);
  const number = Number(request.params['pull_number'] ?? request.params['issue_number']);
  const pull = findPull(request.core, repository, number);
  if (pull === undefined) throw notFound();
  return { repository, pull };
}

export function findRepository(core: Core, owner: string, name: string): Repository | undefined {
  const account = findAccount(core, owner);
  if (account === undefined) return undefined;
  return core.state.repositories.find((each) => each.ownerId === account.id && isSame(each.name, name));
}

export function findFormer(core: Core, owner: string, name: string): Repository | undefined {
  const former = core.state.formerNames.filter((each) => isSame(each.owner, owner) && isSame(each.name, name)).at(-1);
  return core.state.repositories.get(former?.repositoryId);
}

export function findAccount(core: Core, login: string): Account | undefined {
  return core.state.accounts.find((each) => isSame(each.login, login));
}

export function findPull(core: Core, repository: Repository, number: number): PullRequest | undefined {
  return core.state.pullRequests.find((each) => each.repositoryId === repository.id && each.number === number);
}

export function fullNameOf(core: Core, repository: Repository): string {
  return `${core.state.accounts.must(repository.ownerId).login}/${repository.name}`;
}

function moved(request: RestRequest, repository: Repository): ApiError {
  const rest = request.url.split('/').slice(4).join('/');
  const url = `${request.core.urls.api}/repositories/${repository.id}${rest === '' ? '' : `/${rest}`}`;
  const isRead = request.method === 'GET';
  return new ApiError(isRead ? 301 : 307, isRead ? 'Moved Permanently' : 'Temporary Redirect', {
    headers: { location: url },
    fields: { url },
  });
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
