// Checks the machine's git, with which Interlock reads and writes repositories.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

/** The first version that has `merge-tree --write-tree`, which composes commits. */
const oldest = [2, 38] as const;
const cure = 'Install git (apt-get install git, brew install git), then start again.';

export async function assertGit(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['--version']).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'There is no git on the PATH' : `git does not run (${error.message.trim()})`;
    throw new StartError(`${why}. ${cure}`);
  });
  if (!isNewEnough(stdout))
    throw new StartError(
      `${stdout.trim()} is too old: Interlock composes commits by git ${oldest.join('.')} or newer. ${cure}`,
    );
}

/**
 * Whether the output of `git --version` names a version that is new enough. A git without a version counts as new
 * enough.
 */
export function isNewEnough(output: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(output) ?? [];
  if (major === undefined) return true;
  return Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
}
