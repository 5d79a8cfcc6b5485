// How long activities may take, and how they are retried. Every activity may run twice.

/**
 * An activity without a heartbeat for this long is given to another worker, so nothing lands earlier after a kill.
 * Heartbeats are two seconds apart (activities.ts), so that two of them may be late.
 */
export const heartbeatTimeout = '6s';

/** The same for a task of a workflow. The server's own default is twice as long. */
export const workflowTaskTimeout = '5s';

/** The longest pause between tries of a turn. A database that is back is noticed after this time at the latest. */
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

/** A provider that is away is a result, so only a fault of the service fails this activity. */
export const providerCall = {
  startToCloseTimeout: '2m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;

/** Longer than any command may run. */
export const supervision = { ...providerCall, startToCloseTimeout: '25h' } as const;
