// Which pull requests can hinder one another: all, unless what they affect is known and disjoint.

export type Targets = readonly string[] | null;

export function overlap(a: Targets, b: Targets): boolean {
  if (a === null || b === null) return true;
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  if (few.length < 4) return few.some((target) => many.includes(target));
  const known = new Set(many);
  return few.some((target) => known.has(target));
}

/** For a place in order, the places before it whose targets overlap, in order. */
export type Overlaps = (place: number) => readonly number[];

/**
 * By an index of targets, so that changes which share none cost nothing; what is before a place is found when it is
 * asked for first. The cost is that of the pairs that overlap.
 */
export function findOverlaps(line: readonly { readonly targets: Targets }[]): Overlaps {
  const { byTarget, everywhere } = indexTargets(line);
  const seen = new Int32Array(line.length).fill(-1);
  const found: (readonly number[] | undefined)[] = [];
  const gather = (place: number): readonly number[] => {
    const targets = line[place]?.targets ?? null;
    if (targets === null) return Array.from({ length: place }, (_, before) => before);
    const before: number[] = [];
    const take = (places: readonly number[]): void => {
      for (const other of places) {
        if (other >= place) return;
        if (seen[other] === place) continue;
        seen[other] = place;
        before.push(other);
      }
    };
    take(everywhere);
    for (const target of targets) take(byTarget.get(target) ?? []);
    return before.sort((a, b) => a - b);
  };
  return (place) => (found[place] ??= gather(place));
}

function indexTargets(line: readonly { readonly targets: Targets }[]): {
  readonly byTarget: ReadonlyMap<string, readonly number[]>;
  readonly everywhere: readonly number[];
} {
  const byTarget = new Map<string, number[]>();
  const everywhere: number[] = [];
  for (const [place, { targets }] of line.entries()) {
    if (targets === null) everywhere.push(place);
    for (const target of targets ?? []) {
      const sharing = byTarget.get(target);
      if (sharing === undefined) byTarget.set(target, [place]);
      else if (sharing.at(-1) !== place) sharing.push(place);
    }
  }
  return { byTarget, everywhere };
}
