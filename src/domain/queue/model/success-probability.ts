// The probability that a pull request passes by itself: from earlier results of its author, weighted with those of its
// repository while the author has few.

/** Builds that decided whether a single pull request passes: how many passed, and how many there were. */
export interface PastResults {
  readonly passed: number;
  readonly judged: number;
}

/** Nine of ten pass if nothing is known. */
const prior = { probability: 0.9, weight: 10 };
const weightOfRepository = 20;

/** Between 0 and 1, exclusive, for any records. */
export function estimateSuccessProbability({
  repository,
  author,
}: {
  readonly repository: PastResults;
  readonly author: PastResults;
}): number {
  const usual = smoothed(repository, prior);
  return smoothed(author, { probability: usual, weight: weightOfRepository });
}

function smoothed(record: PastResults, towards: { readonly probability: number; readonly weight: number }): number {
  return (record.passed + towards.probability * towards.weight) / (record.judged + towards.weight);
}

/**
 * Whether a pull request that was red by itself gets a second build before it is blamed. It does not if hardly any
 * recent second build passed. It does if nothing is known.
 */
export function isSecondTryWorthwhile(secondTries: PastResults = { passed: 0, judged: 0 }): boolean {
  return (secondTries.passed + 0.5) / (secondTries.judged + 5) >= 0.03;
}
