// What the frame and many pages need: the viewer, the repositories, and the repository that is shown.
import { useEffect, useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { ShellDocument, type ShellQuery } from '../generated/app.ts';
import { useAnswer } from './page.tsx';
import { readPreferences } from './preferences.ts';
import type { QueryAnswer } from './use-live-query.ts';

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export interface ShownRepository extends RepositoryName {
  /** The base branch whose queue is shown. */
  readonly branch: string;
}

/** The path of a page. Names of branches and of release projects may have characters such as `#`, `%` and `?`. */
export function pathOf(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

export function queuePath({ owner, name, branch }: ShownRepository): string {
  return pathOf(owner, name, 'queue', ...branch.split('/'));
}

/** Reads what every page needs: the viewer and all repositories. Undefined until the first answer arrives. */
export function useShell(): ShellQuery | undefined {
  return useShellAnswer().data;
}

/** Lets the frame read again what others change in it: the first fifty repositories, and how many pull requests are in line. */
export function useFreshShell(): void {
  useAnswer(ShellDocument, { after: null }, { requestPolicy: 'cache-first' });
}

/** The cache joins the pages of the repositories, so `data` has every page that was read. */
export function useShellAnswer(): QueryAnswer<ShellQuery> {
  const [after, setAfter] = useState<string | null>(null);
  const answer = useAnswer(ShellDocument, { after }, { requestPolicy: 'cache-first', isOnce: true });
  const { hasNextPage = false, endCursor = null } = answer.data?.repositories.pageInfo ?? {};
  useEffect(() => {
    if (hasNextPage) setAfter(endCursor);
  }, [hasNextPage, endCursor]);
  return answer;
}

/**
 * Returns the repository in the address, otherwise the repository of the last visited queue, otherwise the first
 * repository.
 */
export function useRepository(shell: ShellQuery | undefined): ShownRepository | null {
  const { owner, name, _splat } = useParams({ strict: false });
  const repositories = shell?.repositories.nodes ?? [];
  const [, lastOwner, lastName] = readPreferences().lastQueue?.split('/') ?? [];
  const found =
    repositories.find((one) => one.owner === owner && one.name === name) ??
    repositories.find((one) => one.owner === lastOwner && one.name === lastName) ??
    repositories[0];
  if (owner !== undefined && name !== undefined)
    return { owner, name, branch: _splat ?? found?.defaultBranch ?? 'main' };
  return found ? { owner: found.owner, name: found.name, branch: found.defaultBranch } : null;
}
