// Which pull requests can hinder one another: all, unless what they affect is known and disjoint.

export type Targets = readonly string[] | null;

export function overlap(a: Targets, b: Targets): boolean {
  if (a === null || b === null) return true;
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  if (few.length < 4) return few.some((target) => many.includes(target));
  const known = new Set(many);
  return few.some((target) => known.has(target));
}

/**
 * For each place in line the places before it whose targets overlap, in order. By an index of targets, so that changes
 * which share none cost nothing: the cost is that of the pairs that overlap.
 */
export function findOverlaps(line: readonly { readonly targets: Targets }[]): readonly (readonly number[])[] {
  const byTarget = new Map<string, number[]>();
  const everywhere: number[] = [];
  return line.map(({ targets }, place) => {
    if (targets === null) {
      everywhere.push(place);
      return Array.from({ length: place }, (_, before) => before);
    }
    const before = new Set(everywhere);
    for (const target of targets) {
      const sharing = byTarget.get(target);
      if (sharing === undefined) byTarget.set(target, [place]);
      else {
        for (const other of sharing) before.add(other);
        if (sharing.at(-1) !== place) sharing.push(place);
      }
    }
    before.delete(place);
    return [...before].sort((a, b) => a - b);
  });
}
