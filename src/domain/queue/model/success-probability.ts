// The probability that a pull request passes by itself. It is estimated from earlier results of the author. If the
// author has few results, the results of the repository count more.

/** Builds that decided whether a single pull request passes: how many passed, and how many there were. */
export interface PastResults {
  readonly passed: number;
  readonly judged: number;
}

/** Without any results, nine of ten pull requests are assumed to pass. */
const prior = { probability: 0.9, weight: 10 };
const weightOfRepository = 20;

/** Returns a probability greater than 0 and less than 1. */
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
 * Whether a pull request that was red by itself gets a second build before it counts as failed. False if hardly any
 * recent second build passed. True if no second build is known.
 */
export function isSecondTryWorthwhile(secondTries: PastResults = { passed: 0, judged: 0 }): boolean {
  return (secondTries.passed + 0.5) / (secondTries.judged + 5) >= 0.03;
}
