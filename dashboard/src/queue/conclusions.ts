/** Conclusions of checks that passed. */
export const passedConclusions: ReadonlySet<string> = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);

/** Conclusions of checks that have not ended. */
export const runningConclusions: ReadonlySet<string> = new Set(['PENDING', 'MISSING', 'UNKNOWN']);
