// Whom each in line has to let go first, and what of that has landed.
import type { Field } from './graph.ts';
import type { LineView } from '../planning/line.ts';
import { countBelow, indexOverlaps, overlap, remembered, type Targets } from '../model/overlap.ts';
import type { PinnedHead, PullRequestState } from '../model/snapshot.ts';

export interface LandedChange extends PinnedHead {
  readonly targets: Targets;
  /** The same for those that landed together. */
  readonly commit: string;
}

export function targetsOf({ snapshot }: LineView, { isBarrier, targets }: PullRequestState): Targets {
  return snapshot.rules.useAffectedTargets && !isBarrier ? targets : null;
}

/** What overlaps all: a barrier, and what stands on another overlaps at least that. */
export function overlapsOf(
  view: LineView,
  landed: readonly LandedChange[],
): Pick<Field, 'before' | 'between' | 'linksBefore' | 'isFirst' | 'productsBefore' | 'landedOverlaps' | 'landedWith'> {
  const line = view.inOrder;
  const index = indexOverlaps([...landed, ...line.map((pullRequest) => ({ targets: targetsOf(view, pullRequest) }))]);
  const all = index.before;
  const placeOf = new Map(line.map(({ id }, place) => [id, place]));
  const belowOf = (place: number): number | undefined => {
    const below = placeOf.get(line[place]?.below ?? '');
    return below === undefined || below >= place ? undefined : below;
  };
  const withBelow = (place: number, found: readonly number[], from = 0): readonly number[] => {
    const before = found.map((at) => at - landed.length);
    const below = belowOf(place);
    if (below === undefined || below < from || before.includes(below)) return before;
    return [...before, below].sort((a, b) => a - b);
  };
  const find = (place: number): readonly number[] => {
    const overlapping = all(landed.length + place);
    return withBelow(place, overlapping.slice(countBelow(overlapping, landed.length)));
  };
  const findLanded = (place: number): readonly number[] => {
    const overlapping = all(landed.length + place);
    return overlapping.slice(0, countBelow(overlapping, landed.length));
  };
  return {
    before: remembered(find),
    between: (from, place) => withBelow(place, index.between(landed.length + from, landed.length + place), from),
    linksBefore: (place) => withBelow(place, index.linksBefore(landed.length + place, landed.length)),
    isFirst: (place) => belowOf(place) === undefined && !index.hasBefore(landed.length + place, landed.length),
    productsBefore: (factors) => index.productsBefore([...landed.map(() => 1), ...factors]).subarray(landed.length),
    landedOverlaps: remembered(findLanded),
    landedWith: remembered((at) => [...all(at), ...overlappingInCommit(landed, at)]),
  };
}

/** Those after it in its own commit. */
function overlappingInCommit(landed: readonly LandedChange[], index: number): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < landed.length; at += 1) {
    if (landed[at]?.commit !== landed[index]?.commit) break;
    if (overlap(landed[at]?.targets ?? null, landed[index]?.targets ?? null)) found.push(at);
  }
  return found;
}
