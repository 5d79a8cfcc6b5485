// How likely a pull request passes by itself: what became of earlier ones of its author, drawn towards what became of
// those of its repository, as far as there are few of them.

/** Builds that said of a single pull request whether it passes: how many did, and how many there were. */
export interface TrackRecord {
  readonly passed: number;
  readonly judged: number;
}

/** Nine of ten pass where nothing is known. */
const prior = { probability: 0.9, weight: 10 };
const weightOfRepository = 20;

/** More than 0 and less than 1, whatever the records say. */
export function estimateSuccessProbability({
  repository,
  author,
}: {
  readonly repository: TrackRecord;
  readonly author: TrackRecord;
}): number {
  const usual = smoothed(repository, prior);
  return smoothed(author, { probability: usual, weight: weightOfRepository });
}

function smoothed(record: TrackRecord, towards: { readonly probability: number; readonly weight: number }): number {
  return (record.passed + towards.probability * towards.weight) / (record.judged + towards.weight);
}

/**
 * Whether what was red by itself is built once more before it is blamed: unless, of those that lately were, hardly any
 * passed. Nothing known: it is.
 */
export function isSecondTryWorthwhile(secondTries: TrackRecord = { passed: 0, judged: 0 }): boolean {
  return (secondTries.passed + 0.5) / (secondTries.judged + 5) >= 0.03;
}
