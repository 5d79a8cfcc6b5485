// Whether one commit descends from another: walked from commits that are read anyway, and left to git where the walk
// is long. What descends from what never changes; whether both are still there is asked each time.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { readLineages, recallLineages, remember, type Lineage } from './lineage.ts';
import { objectId } from './names.ts';

const mostRead = 64;

/** False as well when one of them is no commit of the repository. */
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
  // A shallow repository may be given more of its history.
  const isWhole = !(await isShallow(directory));
  const answer = isWhole ? (known.get(key) ?? (await walk(git, directory, { older, newer }))) : null;
  if (answer !== null) {
    remember(known, key, answer);
    return answer;
  }
  const args = ['merge-base', '--is-ancestor', objectId(older.commit), objectId(newer.commit)];
  // 128: a commit between them is missing.
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
 * As git does it: the ancestors of both are marked, the newest commits first, until all that are left are ancestors of
 * both. Commits between the two are ancestors only of the newer one, so no wrong clock hides them. Null: too many.
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
    if (nodes.size + unread.length > mostRead) return null;
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

async function isShallow(directory: string): Promise<boolean> {
  return await access(join(directory, 'shallow')).then(
    () => true,
    () => false,
  );
}
