// Up to which commit of a base a candidate has them all. Each commit is an ancestor of the next one, so that what
// holds of one holds of all before it, and a few questions find the last one.

export interface Search {
  /** Known to be there, as everything before it; 0 is before the first. */
  readonly has: number;
  /** Known not to be there, as everything after it; one past the last is past all. */
  readonly lacks: number;
}

/** Which one to ask about next, beginning right after what was `known` at first. Null: `has` is the last one. */
export function nextProbe({ has, lacks }: Search, known: number): number | null {
  if (lacks - has <= 1) return null;
  return has === known ? has + 1 : Math.floor((has + lacks) / 2);
}

/** What a commit has of a base, as far as its own commits say. */
export interface Traced {
  readonly has: number;
  /** False: it comes from beside the base too, where more of it may be. */
  readonly isSure: boolean;
}

interface Ancestry {
  readonly commit: string;
  readonly parents: readonly string[];
}

/**
 * What each commit has of a base, from the positions of those on it. `ancestry` is what is beyond the base, parents
 * before their children: a commit has what its parents have, and of positions that are all in one line that is the last.
 */
export function traceReach(ancestry: readonly Ancestry[], positions: ReadonlyMap<string, number>): Map<string, Traced> {
  const traced = new Map<string, Traced>();
  for (const { commit, parents } of ancestry) {
    const from = parents.map((parent) => traced.get(parent) ?? traceOutside(positions.get(parent)));
    traced.set(commit, {
      has: from.reduce((most, { has }) => Math.max(most, has), 0),
      isSure: from.every(({ isSure }) => isSure),
    });
  }
  return traced;
}

/**
 * Which commits come from `ancestor`. `beyond` is all that any of them has and it has not, parents before their children:
 * what is not in it is the ancestor itself, or older.
 */
export function descendantsOf(ancestor: string, beyond: readonly Ancestry[]): Set<string> {
  const descendants = new Set([ancestor]);
  for (const { commit, parents } of beyond)
    if (parents.some((parent) => descendants.has(parent))) descendants.add(commit);
  return descendants;
}

/** Of a commit that is not beyond the base: it is on it, or came into it from the side, or is older than its first. */
export function traceOutside(position: number | undefined): Traced {
  return { has: position ?? 0, isSure: position !== undefined };
}
