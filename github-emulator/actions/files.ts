// Reads the workflow files of a commit, and the paths that an event changed.
import type { Core } from '../core.ts';
import { emptyTree } from '../git/commits.ts';
import type { Repository, Workflow } from '../model/types.ts';
import { InvalidWorkflow, parseWorkflow, type WorkflowFile } from './workflow-file.ts';

const folder = '.github/workflows/';

export type LoadedWorkflow =
  | { readonly path: string; readonly file: WorkflowFile }
  | { readonly path: string; readonly file: null; readonly fault: string };

export async function readWorkflows(core: Core, repository: Repository, sha: string): Promise<LoadedWorkflow[]> {
  const listed = await core.git.textOfObjects(repository, ['ls-tree', '--name-only', sha, folder]);
  const paths = listed.split('\n').filter((path) => /\.ya?ml$/.test(path));
  return await Promise.all(paths.map(async (path) => await readWorkflow(core, repository, { sha, path })));
}

export async function readWorkflow(
  core: Core,
  repository: Repository,
  { sha, path }: { readonly sha: string; readonly path: string },
): Promise<LoadedWorkflow> {
  const text = await core.git.textOfObjects(repository, ['cat-file', 'blob', `${sha}:${path}`]);
  if (text === '') return { path, file: null, fault: `There is no ${path} at ${sha}, or it is empty.` };
  try {
    return { path, file: parseWorkflow(path, text) };
  } catch (error) {
    if (error instanceof InvalidWorkflow) return { path, file: null, fault: error.message };
    throw error;
  }
}

export function saveWorkflow(
  core: Core,
  repository: Repository,
  { path, name }: Pick<Workflow, 'path' | 'name'>,
): Workflow {
  const at = core.now();
  const found = core.state.workflows.find((each) => each.repositoryId === repository.id && each.path === path);
  if (found === undefined) {
    const row = { repositoryId: repository.id, path, name, state: 'active', createdAt: at, updatedAt: at } as const;
    return core.state.workflows.insert(row);
  }
  if (found.name !== name) Object.assign(found, { name, updatedAt: at });
  return found;
}

/**
 * Reads the paths that differ between the merge base and `head`. Without a merge base, these are all paths of `head`.
 */
export async function readChangedPaths(
  core: Core,
  repository: Repository,
  { base, head }: { readonly base: string | null; readonly head: string },
): Promise<string[]> {
  const merged = base === null ? '' : await core.git.textOfObjects(repository, ['merge-base', base, head]);
  const from = merged === '' ? emptyTree : merged;
  const listed = await core.git.textOfObjects(repository, ['diff-tree', '-r', '--name-only', '-z', from, head]);
  return listed.split('\0').filter(Boolean);
}
