// Packs of commits for other clones.
import { GitFailed } from './git-failed.ts';
import type { Git } from './git.ts';
import { requireObjectId } from './names.ts';
import { readCommits } from './objects.ts';

const keptErrorBytes = 4096;

/**
 * A thin pack of the objects that are reachable from `commits`, but not from `without`, piece by piece. Commits that do
 * not exist are left out. Throws GitFailed.
 */
export async function* packCommits(
  git: Git,
  directory: string,
  { commits, without }: { readonly commits: readonly string[]; readonly without: readonly string[] },
): AsyncGenerator<Buffer> {
  const known = await readCommits(git, directory, commits);
  const revisions = [...known.map(({ commit }) => commit), ...without.map((id) => `^${requireObjectId(id)}`)];
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'];
  const child = git.spawn(directory, args);
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout) throw new Error('git was started without its streams');
  let complaint = '';
  stderr?.on('data', (chunk: Buffer) => (complaint = `${complaint}${chunk.toString('utf8')}`.slice(-keptErrorBytes)));
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.on('error', (error) => stdout.destroy(error));
  stdin.on('error', () => {});
  stdin.end(`${revisions.join('\n')}\n`);
  try {
    yield* stdout as AsyncIterable<Buffer>;
    const code = await exitCode;
    if (code !== 0) throw new GitFailed('pack-objects', code, complaint);
  } finally {
    // The reader may have stopped before the end of the pack.
    child.kill('SIGKILL');
  }
}
