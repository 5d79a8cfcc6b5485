// Who affects what: targets by a power law, over as many of them as make the asked share of changes overlap one in flight.
import { draw, streams } from '../../src/domain/simulation/randomness.ts';

const most = 1 << 20;
/** Shares of changes that affect one, two and three targets. */
const counts = [0.6, 0.3, 0.1] as const;
const meanCount = counts.reduce((sum, share, index) => sum + share * (index + 1), 0);

export interface Popularity {
  /** The k-th most popular target is affected in proportion to k to the power of minus this. */
  readonly exponent: number;
  readonly targets: number;
}

/** Sums of the weights of the most popular ones, by exponent; 8 MB each. */
const weights = new Map<number, Float64Array>();

function cumulativeWeights(exponent: number): Float64Array {
  const known = weights.get(exponent);
  if (known !== undefined) return known;
  const sums = new Float64Array(most);
  let sum = 0;
  for (let k = 0; k < most; k += 1) {
    sum += (k + 1) ** -exponent;
    sums[k] = sum;
  }
  weights.set(exponent, sums);
  return sums;
}

/** Share of changes that overlap at least one of `inFlight` others, with so many targets in all. */
function overlapShare({ exponent, targets }: Popularity, inFlight: number): number {
  const total = cumulativeWeights(exponent)[targets - 1] ?? 1;
  let untouched = 0;
  for (let k = 0; k < targets; k += 1) {
    const popularity = (k + 1) ** -exponent / total;
    untouched += popularity * Math.exp(-inFlight * meanCount * popularity);
  }
  return 1 - counts.reduce((sum, share, index) => sum + share * untouched ** (index + 1), 0);
}

/** How many targets there must be. */
export function calibrateTargets(of: {
  readonly overlap: number;
  readonly inFlight: number;
  readonly exponent: number;
}): Popularity {
  let [few, many] = [1, most];
  while (few < many) {
    const middle = Math.floor((few + many) / 2);
    if (overlapShare({ exponent: of.exponent, targets: middle }, of.inFlight) > of.overlap) few = middle + 1;
    else many = middle;
  }
  return { exponent: of.exponent, targets: few };
}

/** One to three of them, in no order. */
export function drawTargets({ exponent, targets }: Popularity, seed: number, change: number): string[] {
  const sums = cumulativeWeights(exponent);
  const of = draw(seed, streams.targets, change);
  const count = of < counts[0] ? 1 : of < counts[0] + counts[1] ? 2 : 3;
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
