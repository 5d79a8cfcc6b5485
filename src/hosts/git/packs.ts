// Packs of commits for other clones.
import type { Git } from './git.ts';
import { requireObjectId } from './names.ts';
import { readCommits } from './objects.ts';

/**
 * A thin pack of the objects that are reachable from `commits`, but not from `without`. Commits that do not exist are
 * left out. Throws HostUnavailable if the pack is larger than 64 MB.
 */
export async function packCommits(
  git: Git,
  directory: string,
  { commits, without }: { readonly commits: readonly string[]; readonly without: readonly string[] },
): Promise<Buffer> {
  const known = await readCommits(git, directory, commits);
  const revisions = [...known.map(({ commit }) => commit), ...without.map((id) => `^${requireObjectId(id)}`)];
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'];
  return (await git.run(directory, args, { stdin: `${revisions.join('\n')}\n` })).stdout;
}
