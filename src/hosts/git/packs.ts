// Packs of commits, as another clone reads them.
import type { Git } from './git.ts';
import { objectId } from './names.ts';
import { readCommits } from './objects.ts';

/**
 * A thin pack of what `commits` reach and `without` does not. Commits that are not there are left out. Throws
 * HostUnavailable for more than 64 MB.
 */
export async function packCommits(
  git: Git,
  directory: string,
  { commits, without }: { readonly commits: readonly string[]; readonly without: readonly string[] },
): Promise<Buffer> {
  const known = await readCommits(git, directory, commits);
  const revisions = [...known.map(({ commit }) => commit), ...without.map((id) => `^${objectId(id)}`)];
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'];
  return (await git.run(directory, args, { stdin: `${revisions.join('\n')}\n` })).stdout;
}
