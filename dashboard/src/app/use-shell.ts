// What the frame and many pages need: the viewer, the repositories, and the repository that is shown.
import { createContext, useContext } from 'react';
import { useParams } from '@tanstack/react-router';
import { LineLengthDocument, ShellDocument, type ShellQuery } from '../generated/app.ts';
import { useAnswer, useWholeList } from './page.tsx';
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

type Repositories = QueryAnswer<readonly ShellQuery['repositories']['nodes'][number][]>;

const noVariables = {};
const firstPage = { after: null };
const repositoriesOf = ({ repositories }: ShellQuery) => repositories;
const noPageFollows = { hasNextPage: false, endCursor: null };

/** All repositories, which the frame reads for every part of the page. */
export const AllRepositories = createContext<Repositories | null>(null);

/** Reads all repositories, and reads them again, because others add and delete some. */
export function useAllRepositories(): Repositories {
  return useWholeList(ShellDocument, noVariables, repositoriesOf);
}

/** Has the first page of the repositories until all of them were read. */
export function useShellAnswer(): QueryAnswer<ShellQuery> {
  const first = useAnswer(ShellDocument, firstPage, { requestPolicy: 'cache-first', isOnce: true });
  const all = useContext(AllRepositories);
  if (first.data === undefined || all === null) return first;
  const partial = first.partial ?? all.problem ?? all.partial;
  if (all.data === undefined) return { ...first, partial };
  return {
    ...first,
    partial,
    data: { ...first.data, repositories: { nodes: [...all.data], pageInfo: noPageFollows } },
  };
}

const lineAgainMs = 30_000;

/**
 * How many pull requests are in line in the repository with this id. Undefined: not known yet. Others change it at any
 * time.
 */
export function useLineLength(id: string | undefined): number | undefined {
  const { data } = useAnswer(
    LineLengthDocument,
    { id: id ?? '' },
    { pause: id === undefined, requestPolicy: 'cache-first', againMs: lineAgainMs },
  );
  return data?.node && 'queueDepth' in data.node ? data.node.queueDepth.queued : undefined;
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
