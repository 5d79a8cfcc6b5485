// What a head changes: against the commit it left its base at, so that what came to the base since is not its own.
import type { ChangedFiles } from '../port.ts';
import { parseChanges } from './folder.ts';
import type { Git } from './git.ts';
import { objectId } from './names.ts';

/** A rename is a file that is gone and another that is there. Null: more than `limit`, or the two share no history. */
export async function listChangedFiles(
  git: Git,
  directory: string,
  range: { readonly base: string; readonly head: string; readonly limit: number },
): Promise<ChangedFiles | null> {
  const { exitCode, stdout } = await git.run(directory, ['merge-base', objectId(range.base), objectId(range.head)], {
    accept: [0, 1],
  });
  if (exitCode === 1) return null;
  const base = stdout.toString('latin1').trim();
  const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', base, objectId(range.head)];
  const files = parseChanges((await git.run(directory, args)).stdout.toString('utf8'));
  return files.length > range.limit ? null : { base, files: files.map(({ path, mode }) => ({ path, mode })) };
}
