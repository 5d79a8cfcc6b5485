// Kept instead of a library: `d3-array` interpolates between two values and `simple-statistics` averages them, and a
// quantile of waits here is always a measured wait.

/** The least of them that so large a share does not exceed, always one of them. `sorted` rises. Null of nothing. */
export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function rising(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
