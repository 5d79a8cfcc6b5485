// How long what is done outside of workflows may take, and how it is tried again. What is done there is safe to do twice.

/**
 * Without a heartbeat for so long, an activity is given to another worker: after a kill nothing lands before. Heartbeats
 * are two seconds apart (activities.ts), so that two of them may be late.
 */
export const heartbeatTimeout = '6s';

/** The same of a workflow that was being advanced. The server's own default is twice as long. */
export const workflowTaskTimeout = '5s';

/** Between tries of what goes on with a line: a database that is back is noticed after that at the latest. */
export const longestPause = '5s';

export const turnLocally = {
  summary: 'Read its rows, decide, write what was decided',
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
} as const;

export const turn = {
  summary: turnLocally.summary,
  startToCloseTimeout: '30s',
  heartbeatTimeout,
  retry: { initialInterval: '200ms', maximumInterval: longestPause },
} as const;

/** A provider that is away is an answer; what fails is our own. */
export const providerCall = {
  startToCloseTimeout: '2m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;

/** Longer than any command may run. */
export const supervision = { ...providerCall, startToCloseTimeout: '25h' } as const;
