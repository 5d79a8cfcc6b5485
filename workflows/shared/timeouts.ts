// How long activities may take, and how they are retried. Every activity may run twice.

/**
 * After this long without a heartbeat, the server gives an activity to another worker. After a worker is killed, its
 * landings stand still for this long. Heartbeats are two seconds apart (activities.ts), so that two of them may be
 * late.
 */
export const heartbeatTimeout = '6s';

/** After this long, the server gives a workflow task to another worker. The server's own default is twice as long. */
export const workflowTaskTimeout = '5s';

/**
 * The longest pause between tries of a turn. After an outage of the database, the next try comes after this time at the
 * latest.
 */
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

/** An unreachable provider is a result of this activity. Only a fault of the service makes the activity fail. */
export const providerCall = {
  startToCloseTimeout: '2m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;

/** The time limit is longer than any command may run. */
export const supervision = { ...providerCall, startToCloseTimeout: '25h' } as const;
