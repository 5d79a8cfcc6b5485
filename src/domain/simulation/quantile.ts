// Here a quantile is always one of the measured values. Libraries compute a value between two measured ones: `d3-array`
// interpolates, and `simple-statistics` takes the mean.

/**
 * Returns the least value that at least `share` (0 to 1) of all values do not exceed. `sorted` must be ascending. Null:
 * it is empty.
 */
export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function sortAscending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
