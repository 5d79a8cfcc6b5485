// The parents of commits. Parents never change, so they are cached. A commit may disappear, so its existence is not
// cached.
import type { Git } from './git.ts';
import { readObjects } from './object-reader.ts';

export interface Lineage {
  readonly commit: string;
  readonly parents: readonly string[];
  /** The commit date, in seconds since the epoch. The committer's clock may have been wrong. */
  readonly at: number;
}

/** Reads lineages, in the order of `ids`. Null for an id that is not a commit of the repository at present. */
export async function readLineages(git: Git, directory: string, ids: readonly string[]): Promise<(Lineage | null)[]> {
  return (await readObjects(git, directory, { ids, peeled: '^{commit}' })).map((object) => {
    if (object === null) return null;
    const headers = object.body.toString('latin1').split('\n\n', 1)[0] ?? '';
    const parents = [...headers.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent]) => parent ?? '');
    return { commit: object.id, parents, at: Number(/^committer .*> (\d+)/m.exec(headers)?.[1] ?? 0) };
  });
}

const remembered = new WeakMap<Git, Map<string, Lineage>>();

/**
 * Like `readLineages`, but with a cache. Use it only for ancestors of commits that exist, because such ancestors cannot
 * disappear.
 */
export async function recallLineages(git: Git, directory: string, ids: readonly string[]): Promise<(Lineage | null)[]> {
  const known = remembered.get(git) ?? new Map<string, Lineage>();
  remembered.set(git, known);
  const keyOf = (id: string): string => `${directory} ${id}`;
  const unknown = ids.filter((id) => !known.has(keyOf(id)));
  const read = new Map<string, Lineage | null>();
  for (const [at, lineage] of (await readLineages(git, directory, unknown)).entries()) {
    read.set(unknown[at] ?? '', lineage);
    if (lineage !== null) remember(known, keyOf(unknown[at] ?? ''), lineage);
  }
  return ids.map((id) => read.get(id) ?? known.get(keyOf(id)) ?? null);
}

const maxRemembered = 20_000;

/** Adds a fact to a cache, and removes its oldest fact if the cache is full. */
export function remember<Fact>(known: Map<string, Fact>, key: string, fact: Fact): void {
  known.set(key, fact);
  const oldest = known.keys().next().value;
  if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
}
