// Makes a commit of a folder's files. The folder is not trusted: git runs with the git directory of the repository, a
// new index and the configuration of Interlock, and never opens the `.git` of the folder.
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  HostRefused,
  type FileChange,
  type FolderCommit,
  type FolderCommitResult,
  type ChangedFiles,
} from '../port.ts';
import { withProcessFolder } from '../../platform/sandbox/index.ts';
import type { WithCommitter } from './compose.ts';
import { GitFailed } from './git-failed.ts';
import type { Git } from './git.ts';
import { inObjectFolder } from './loose-object.ts';
import { requireObjectId } from './names.ts';
import { readCommit, formatIdentity, writeCommit } from './objects.ts';
import { setRef } from './refs.ts';

export async function commitFolder(
  git: Git,
  directory: string,
  made: WithCommitter<FolderCommit>,
): Promise<FolderCommitResult> {
  const parent = await readCommit(git, directory, made.parent);
  if (parent === null) throw new HostRefused(`There is no commit ${made.parent} in the repository`);
  const objects = join(directory, 'objects');
  // The name has the prefix of git's own temporary folders, which are removed if this process is killed.
  const incoming = await mkdtemp(join(objects, 'tmp_objdir-folder-'));
  try {
    // The path is quoted, because git splits the value at colons.
    const quarantine = { GIT_OBJECT_DIRECTORY: incoming, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
    const context = { git, directory, env: quarantine };
    const tree = await writeTree(context, made);
    // The two trees are compared, because a comparison with the folder would read the `.gitmodules` of the folder.
    const compared = ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--abbrev=40', parent.tree, tree];
    const raw = (await git.run(directory, compared, { env: quarantine })).stdout.toString('utf8');
    const changes = await describeChanges(context, parseChanges(raw));
    if (changes.length === 0) return { kind: 'empty' };
    const refusal = made.refuse?.(changes) ?? null;
    if (refusal !== null) return { kind: 'refused', message: refusal };
    await admit(incoming, objects);
    const commit = await writeCommit(directory, {
      tree,
      parents: [parent.commit],
      author: formatIdentity(made.authorName, made.authorEmail, made.at),
      committer: formatIdentity(made.committer.name, made.committer.email, made.at),
      message: made.message,
      sign: made.committer.sign,
    });
    await setRef(git, directory, { ref: made.keepRef, to: commit });
    return { kind: 'committed', commit, tree, changes };
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** Writes the tree of the folder's files to the quarantine, by an index that begins with the parent's tree. */
async function writeTree({ git, directory, env }: GitContext, { folder, parent }: FolderCommit): Promise<string> {
  return await withProcessFolder(tmpdir(), async (indexFolder) => {
    const own = { GIT_DIR: directory, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(indexFolder, 'index') };
    const run = async (args: readonly string[]): Promise<string> =>
      (await git.run(folder, args, { env: { ...own, ...env }, timeoutMs: 600_000 })).stdout.toString('utf8');
    await run(['read-tree', requireObjectId(parent)]);
    await run(['add', '--all', '.']).catch(refuse);
    return (await run(['write-tree'])).trim();
  });
}

/**
 * Moves objects from quarantine into the repository. Objects are named by their content, so an object that exists
 * already is the same object.
 */
async function admit(incoming: string, objects: string): Promise<void> {
  const entries = await readdir(incoming, { recursive: true, withFileTypes: true });
  // A pack is moved before its index, because git finds the pack by the index.
  const files = entries.filter((entry) => entry.isFile()).sort((a, b) => Number(isIndex(a)) - Number(isIndex(b)));
  for (const { name, parentPath } of files) {
    const folder = join(objects, relative(incoming, parentPath));
    await inObjectFolder(folder, async () => await rename(join(parentPath, name), join(folder, name)));
  }
}

function isIndex({ name }: { readonly name: string }): boolean {
  return name.endsWith('.idx');
}

// git would refuse the same files again, so HostRefused ends the retries.
function refuse(error: unknown): never {
  if (!(error instanceof GitFailed) || error.exitCode === null) throw error;
  const lines = error.stderr.split('\n').filter((line) => /^(error|fatal): /.test(line));
  throw new HostRefused(`git refuses these files: ${lines.join('; ').slice(0, 500)}`);
}

export interface RawChange {
  readonly path: string;
  readonly mode: string | null;
  readonly blob: string;
}

/** Parses the output of `git diff-tree --raw -z`, which is a sequence of `:100644 100755 <old> <new> M\0path\0`. */
export function parseChanges(text: string): RawChange[] {
  const fields = text.split('\0');
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, newMode = '', , blob = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({ path: fields[at + 1] ?? '', mode: newMode === '000000' ? null : newMode, blob });
  }
  return changes;
}

interface GitContext {
  readonly git: Git;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

async function describeChanges(context: GitContext, changes: readonly RawChange[]): Promise<FileChange[]> {
  const { git, directory, env } = context;
  const blobs = changes.filter(({ mode }) => mode !== null && mode !== '160000').map(({ blob }) => blob);
  const links = changes.filter(({ mode }) => mode === '120000').map(({ blob }) => blob);
  const sizes = await sizesOf(context, blobs);
  const targets = new Map<string, string>();
  for (const link of new Set(links)) {
    const { stdout } = await git.run(directory, ['cat-file', 'blob', requireObjectId(link)], { env });
    targets.set(link, stdout.toString('utf8'));
  }
  return changes.map(({ path, mode, blob }) => ({
    path,
    mode,
    bytes: mode === null ? null : (sizes.get(blob) ?? null),
    target: mode === '120000' ? (targets.get(blob) ?? '') : null,
  }));
}

async function sizesOf({ git, directory, env }: GitContext, blobs: readonly string[]): Promise<Map<string, number>> {
  if (blobs.length === 0) return new Map();
  const { stdout } = await git.run(directory, ['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    env,
    stdin: `${[...new Set(blobs)].join('\n')}\n`,
  });
  const lines = stdout.toString('utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

/**
 * The files that a head changes since its merge base with `base`. A renamed file is listed twice: as a deleted file and
 * as an added file. Null: there are more than `limit` files, or the two commits have no common ancestor.
 */
export async function listChangedFiles(
  git: Git,
  directory: string,
  range: { readonly base: string; readonly head: string; readonly limit: number },
): Promise<ChangedFiles | null> {
  const { exitCode, stdout } = await git.run(
    directory,
    ['merge-base', requireObjectId(range.base), requireObjectId(range.head)],
    {
      accept: [0, 1],
    },
  );
  if (exitCode === 1) return null;
  const base = stdout.toString('latin1').trim();
  const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', base, requireObjectId(range.head)];
  const files = parseChanges((await git.run(directory, args)).stdout.toString('utf8'));
  return files.length > range.limit ? null : { base, files: files.map(({ path, mode }) => ({ path, mode })) };
}
