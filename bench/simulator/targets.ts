// Draws the targets that changes affect. The popularity of targets follows a power law. The number of targets is chosen
// so that the wanted share of changes overlaps a change in flight.
import { draw, streams } from '../../src/domain/simulation/randomness.ts';

const maxTargets = 1 << 20;
/** The shares of changes that affect one, two and three targets. */
const counts = [0.6, 0.3, 0.1] as const;
const meanCount = counts.reduce((sum, share, index) => sum + share * (index + 1), 0);

export interface Popularity {
  /** The k-th most popular target is affected in proportion to k^-exponent. */
  readonly exponent: number;
  /** The number of targets. */
  readonly targets: number;
}

/** For each exponent, the cumulative weights of the targets, the most popular target first. An entry takes 8 MB. */
const weights = new Map<number, Float64Array>();

function cumulativeWeights(exponent: number): Float64Array {
  const known = weights.get(exponent);
  if (known !== undefined) return known;
  const sums = new Float64Array(maxTargets);
  let sum = 0;
  for (let k = 0; k < maxTargets; k += 1) {
    sum += (k + 1) ** -exponent;
    sums[k] = sum;
  }
  weights.set(exponent, sums);
  return sums;
}

/** The share of changes that overlap at least one of `inFlight` other changes. */
function overlapShare({ exponent, targets }: Popularity, inFlight: number): number {
  const total = cumulativeWeights(exponent)[targets - 1] ?? 1;
  let untouched = 0;
  for (let k = 0; k < targets; k += 1) {
    const popularity = (k + 1) ** -exponent / total;
    untouched += popularity * Math.exp(-inFlight * meanCount * popularity);
  }
  return 1 - counts.reduce((sum, share, index) => sum + share * untouched ** (index + 1), 0);
}

/** Finds the number of targets at which the share `overlap` of all changes overlaps a change in flight. */
export function calibrateTargets(of: {
  readonly overlap: number;
  readonly inFlight: number;
  readonly exponent: number;
}): Popularity {
  let [few, many] = [1, maxTargets];
  while (few < many) {
    const middle = Math.floor((few + many) / 2);
    if (overlapShare({ exponent: of.exponent, targets: middle }, of.inFlight) > of.overlap) few = middle + 1;
    else many = middle;
  }
  return { exponent: of.exponent, targets: few };
}

/** Draws one to three targets, in no order. */
export function drawTargets({ exponent, targets }: Popularity, seed: number, change: number): string[] {
  const sums = cumulativeWeights(exponent);
  const share = draw(seed, streams.targets, change);
  const count = share < counts[0] ? 1 : share < counts[0] + counts[1] ? 2 : 3;
  const total = sums[targets - 1] ?? 1;
  const drawn = Array.from({ length: count }, (_, place) =>
    placeOf(sums, { weight: draw(seed, streams.targets, change, place) * total, targets }),
  );
  return [...new Set(drawn)].map((target) => `//${target}`);
}

function placeOf(
  sums: Float64Array,
  { weight, targets }: { readonly weight: number; readonly targets: number },
): number {
  let [low, high] = [0, targets - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? Infinity) < weight) low = middle + 1;
    else high = middle;
  }
  return low;
}
