// Decides whether one commit descends from another: by a short walk over commits that are mostly in memory, or by git
// if the walk would be long. Ancestry never changes, so the result is cached. Whether both commits still exist is read
// each time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { readLineages, recallLineages, remember, type Lineage } from './lineage.ts';
import { requireObjectId } from './names.ts';

const maxCommits = 64;

/** Also false if one of the two is not a commit of the repository. */
export async function isAncestor(
  git: Git,
  directory: string,
  { ancestor, descendant }: { readonly ancestor: string; readonly descendant: string },
): Promise<boolean> {
  const [older, newer] = await readLineages(git, directory, [ancestor, descendant]);
  if (!older || !newer) return false;
  if (older.commit === newer.commit) return true;
  const known = rememberedOf(git);
  const key = `${directory} ${older.commit} ${newer.commit}`;
  // The result is not cached in a shallow repository, because more of its history may be fetched.
  const isWhole = !isShallow(directory);
  const isDescendant = isWhole ? (known.get(key) ?? (await walk(git, directory, { older, newer }))) : null;
  if (isDescendant !== null) {
    remember(known, key, isDescendant);
    return isDescendant;
  }
  const args = ['merge-base', '--is-ancestor', requireObjectId(older.commit), requireObjectId(newer.commit)];
  // git exits with 128 if a commit between the two is missing.
  const { exitCode } = await git.run(directory, args, { accept: [0, 1, 128] });
  if (isWhole && exitCode !== 128) remember(known, key, exitCode === 0);
  return exitCode === 0;
}

const remembered = new WeakMap<Git, Map<string, boolean>>();

function rememberedOf(git: Git): Map<string, boolean> {
  const known = remembered.get(git) ?? new Map<string, boolean>();
  remembered.set(git, known);
  return known;
}

const below = { older: 1, newer: 2, both: 3 } as const;

/**
 * The algorithm of git. It marks the ancestors of both commits, the newest first, and ends when every unvisited commit
 * is an ancestor of both. Commits between the two are ancestors only of the newer one, so the walk finds them even if
 * the clocks of their committers were wrong. Null: the walk has more than `maxCommits` commits.
 */
async function walk(
  git: Git,
  directory: string,
  { older, newer }: { readonly older: Lineage; readonly newer: Lineage },
): Promise<boolean | null> {
  const marks = new Map<string, number>([
    [older.commit, below.older],
    [newer.commit, below.newer],
  ]);
  const nodes = new Map([older, newer].map((node) => [node.commit, node]));
  const waiting = new Set([older, newer]);
  for (;;) {
    const next = newestOf(waiting);
    if (next === null || [...waiting].every(({ commit }) => marks.get(commit) === below.both)) return false;
    waiting.delete(next);
    const unread = next.parents.filter((parent) => !nodes.has(parent));
    if (nodes.size + unread.length > maxCommits) return null;
    for (const node of await recallLineages(git, directory, unread)) {
      if (node === null) return null;
      nodes.set(node.commit, node);
    }
    for (const parent of next.parents) {
      const before = marks.get(parent) ?? 0;
      const mark = before | (marks.get(next.commit) ?? 0);
      const node = nodes.get(parent);
      if (mark === before || node === undefined) continue;
      if (parent === older.commit) return true;
      marks.set(parent, mark);
      waiting.add(node);
    }
  }
}

function newestOf(nodes: ReadonlySet<Lineage>): Lineage | null {
  let newest: Lineage | null = null;
  for (const node of nodes) if (newest === null || node.at > newest.at) newest = node;
  return newest;
}

function isShallow(directory: string): boolean {
  return existsSync(join(directory, 'shallow'));
}
