/** Conclusions of checks that passed. */
export const passed: ReadonlySet<string> = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);

/** Conclusions of checks that have not ended. */
export const running: ReadonlySet<string> = new Set(['PENDING', 'MISSING', 'UNKNOWN']);
