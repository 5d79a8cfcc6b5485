// Every repository of the local host is read and written by the machine's own git.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

/** The first with `merge-tree --write-tree`, by which commits are composed. */
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

/** Judges the output of `git --version`. A build of git that names no version counts as new enough. */
export function isNewEnough(said: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (major === undefined) return true;
  return Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
}
