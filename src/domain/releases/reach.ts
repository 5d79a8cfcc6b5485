// The last commit of a base that a candidate contains. Each commit is an ancestor of the next one, so that a binary
// search needs few questions.

export interface Search {
  /** The candidate contains this commit and all before it. 0: before the first commit. */
  readonly has: number;
  /** The candidate lacks this commit and all after it. One past the last: it may contain all. */
  readonly lacks: number;
}

/** The next commit to ask about. The first question is about the commit after `known`. Null: the search is over. */
export function nextProbe({ has, lacks }: Search, known: number): number | null {
  if (lacks - has <= 1) return null;
  return has === known ? has + 1 : Math.floor((has + lacks) / 2);
}

/** The part of a base that a commit contains, as far as its own commits tell. */
export interface ContainedPart {
  readonly has: number;
  /** False: a parent outside the base was cut off, which may contain more of the base. */
  readonly isSure: boolean;
}

interface Ancestry {
  readonly commit: string;
  readonly parents: readonly string[];
}

/**
 * The part of a base that each commit contains, from the positions of the base's commits. `ancestry` lists the commits
 * outside the base, parents before children. A commit contains what its parents contain; because the base is one line,
 * the last position counts.
 */
export function traceReach(
  ancestry: readonly Ancestry[],
  positions: ReadonlyMap<string, number>,
): Map<string, ContainedPart> {
  const traced = new Map<string, ContainedPart>();
  for (const { commit, parents } of ancestry) {
    const from = parents.map((parent) => traced.get(parent) ?? traceOutside(positions.get(parent)));
    traced.set(commit, {
      has: from.reduce((max, { has }) => Math.max(max, has), 0),
      isSure: from.every(({ isSure }) => isSure),
    });
  }
  return traced;
}

/**
 * Which commits descend from `ancestor`. `beyond` lists all their commits that `ancestor` does not contain, parents
 * before children. A commit that is not listed is the ancestor itself or older.
 */
export function descendantsOf(ancestor: string, beyond: readonly Ancestry[]): Set<string> {
  const descendants = new Set([ancestor]);
  for (const { commit, parents } of beyond)
    if (parents.some((parent) => descendants.has(parent))) descendants.add(commit);
  return descendants;
}

/**
 * The contained part of a commit that the ancestry outside the base does not list. Such a commit is on the base, came
 * into the base by a merge, or is older than the first commit of the base. `position` undefined: it is not on the base.
 */
export function traceOutside(position: number | undefined): ContainedPart {
  return { has: position ?? 0, isSure: position !== undefined };
}
