// Makes a checkout with its own `.git`. Objects are copied and not shared, so that the checkout has no reference to the
// repository. This takes three git processes: one lists the files, one makes a pack, and one writes the files. `git fetch`
// would start seven processes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultRunBounds } from '../../domain/runs/bounds.ts';
import { CommitMissing, type CheckoutFolder } from '../port.ts';
import { requireBoundedFiles } from './checkout-size.ts';
import type { Git } from './git.ts';
import { recallLineages } from './lineage.ts';
import { requireObjectId } from './names.ts';

/** How many commits of its history the checkout has. */
const depth = 50;

const configuration = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
${process.platform === 'darwin' ? '\tignorecase = true\n\tprecomposeunicode = true\n' : ''}`;

export async function checkOut(
  git: Git,
  directory: string,
  { commit, folder, bounds = defaultRunBounds }: CheckoutFolder & { readonly commit: string },
): Promise<void> {
  const edge = await findEdge(git, directory, requireObjectId(commit));
  await requireBoundedFiles(git, directory, { commit, bounds });
  const own = join(folder, '.git');
  for (const path of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    await mkdir(join(own, path), { recursive: true });
  await writeFile(join(own, 'config'), configuration);
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/main\n');
  if (edge.length > 0) await writeFile(join(own, 'shallow'), edge.map((id) => `${id}\n`).join(''));
  await pack(git, { from: directory, into: own, commit });
  await git.run(folder, ['checkout', '--quiet', '--detach', commit], { timeoutMs: 600_000 });
}

// The pack is used once and then deleted, so it is neither compressed well nor synced to the disk.
async function pack(git: Git, { from, into, commit }: Record<'from' | 'into' | 'commit', string>): Promise<void> {
  const quickly = ['--quiet', '--window=0', '--compression=1', '--delta-base-offset'];
  await git.run(into, ['pack-objects', '--revs', ...quickly, join(into, 'objects', 'pack', 'pack')], {
    env: {
      GIT_DIR: into,
      // The path is quoted, because git splits the value at colons.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(from, 'objects')),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsync',
      GIT_CONFIG_VALUE_0: 'none',
    },
    stdin: `${commit}\n`,
    timeoutMs: 600_000,
  });
}

/**
 * The commits whose parents the checkout lacks: the commits at the maximum depth, and the commits whose parents the
 * repository itself lacks.
 */
async function findEdge(git: Git, directory: string, tip: string): Promise<string[]> {
  const known = new Set([tip]);
  const cut = new Set((await readFile(join(directory, 'shallow'), 'utf8').catch(() => '')).split('\n'));
  let level = [tip];
  for (let distance = 1; level.length > 0; distance += 1) {
    const commits = (await recallLineages(git, directory, level)).filter((commit) => commit !== null);
    if (distance === 1 && commits.length === 0) throw new CommitMissing(tip);
    const inner = commits.filter(({ commit }) => !cut.has(commit));
    if (distance === depth) {
      const last = inner.filter(({ parents }) => parents.length > 0).map(({ commit }) => commit);
      return [...cutAmong(known, cut), ...last];
    }
    level = [...new Set(inner.flatMap(({ parents }) => parents))].filter((id) => !known.has(id));
    for (const id of level) known.add(id);
  }
  return cutAmong(known, cut);
}

function cutAmong(known: ReadonlySet<string>, cut: ReadonlySet<string>): string[] {
  return [...known].filter((id) => cut.has(id));
}
