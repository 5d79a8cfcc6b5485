// How many are best asked together. A batch is built once; green, all of it lands. Red, it is searched by halves for its
// first bad one, and those behind that one are asked anew, with others.

export interface Rates {
  /** How often a pull request fails by itself. */
  readonly failure: number;
  /** How often a build fails of what is sound. */
  readonly flake: number;
}

/** The size that settles a pull request at the least cost, at most `most`. 1, and so no batch, from 29.3 % failures on. */
export function bestBatchSize(rates: Rates, most: number): number {
  const costs = batchCosts(rates, most);
  return costs.reduce((best, cost, at) => (cost < (costs[best - 1] ?? 1) ? at + 1 : best), 1);
}

/**
 * Builds for each pull request, on average over many, by size from 1 on. Who is found by elimination is built by itself
 * before it is blamed. Second builds of what is bad are not counted: every size has as many.
 */
export function batchCosts({ failure, flake }: Rates, most: number): readonly number[] {
  const bad = Math.min(0.999, Math.max(0.001, failure));
  const pass = 1 - bad;
  /** By size: builds of the search, times how often it begins. */
  const search: number[] = [0, 0];
  return Array.from({ length: most }, (_, at) => {
    const size = at + 1;
    // One that is red alone is built once more.
    if (size === 1) return 1 + pass * flake;
    const [half, rest] = [Math.ceil(size / 2), Math.floor(size / 2)];
    const eliminated = rest === 1 ? bad : (search[rest] ?? 0);
    search[size] = 1 - pass ** size + (search[half] ?? 0) + pass ** half * eliminated;
    const inVain = pass ** size * flake * (1 + Math.ceil(Math.log2(size)));
    return ((1 + search[size] + inVain) * bad) / (1 - pass ** size);
  });
}
