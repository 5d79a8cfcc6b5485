// Who affects what: targets by a power law, over as many of them as make the asked share of changes overlap one in flight.
import { draw, streams } from '../../src/domain/simulation/randomness.ts';

const exponent = 0.8;
const most = 1 << 20;
/** Shares of changes that affect one, two and three targets. */
const counts = [0.6, 0.3, 0.1] as const;
const meanCount = counts.reduce((sum, share, index) => sum + share * (index + 1), 0);

/** Sum of the weights of the most popular ones; made once, 8 MB. */
let weights: Float64Array | null = null;

function cumulativeWeights(): Float64Array {
  if (weights !== null) return weights;
  const sums = new Float64Array(most);
  let sum = 0;
  for (let k = 0; k < most; k += 1) {
    sum += (k + 1) ** -exponent;
    sums[k] = sum;
  }
  weights = sums;
  return sums;
}

/** Share of changes that overlap at least one of `inFlight` others, with so many targets in all. */
function overlapShare(targets: number, inFlight: number): number {
  const total = cumulativeWeights()[targets - 1] ?? 1;
  let untouched = 0;
  for (let k = 0; k < targets; k += 1) {
    const popularity = (k + 1) ** -exponent / total;
    untouched += popularity * Math.exp(-inFlight * meanCount * popularity);
  }
  return 1 - counts.reduce((sum, share, index) => sum + share * untouched ** (index + 1), 0);
}

/** How many targets there must be. */
export function calibrateTargets(overlap: number, inFlight: number): number {
  let [few, many] = [1, most];
  while (few < many) {
    const middle = Math.floor((few + many) / 2);
    if (overlapShare(middle, inFlight) > overlap) few = middle + 1;
    else many = middle;
  }
  return few;
}

/** One to three of them, in no order. */
export function drawTargets(targets: number, seed: number, change: number): string[] {
  const of = draw(seed, streams.targets, change);
  const count = of < counts[0] ? 1 : of < counts[0] + counts[1] ? 2 : 3;
  const drawn = Array.from({ length: count }, (_, place) => {
    const sums = cumulativeWeights();
    return placeOf(draw(seed, streams.targets, change, place) * (sums[targets - 1] ?? 1), targets);
  });
  return [...new Set(drawn)].map((target) => `//${target}`);
}

function placeOf(weight: number, targets: number): number {
  const sums = cumulativeWeights();
  let [low, high] = [0, targets - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? Infinity) < weight) low = middle + 1;
    else high = middle;
  }
  return low;
}
