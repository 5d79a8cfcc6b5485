// Every repository of the local host is read and written by the machine's own git.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

export async function assertGit(): Promise<void> {
  await promisify(execFile)('git', ['--version']).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'There is no git on the PATH' : `git does not run (${error.message.trim()})`;
    throw new StartError(`${why}. Install git (apt-get install git, brew install git), then start again.`);
  });
}
