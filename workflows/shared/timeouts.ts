// How long activities may take, and how they are retried. Every activity may run twice.

/**
 * After this time without a heartbeat, the server gives an activity to another worker. If a worker is killed, its
 * landings make no progress for this time. Heartbeats are sent every two seconds (activities.ts), so that two of them
 * may be late.
 */
export const heartbeatTimeout = '6s';

/** After this time, the server gives a workflow task to another worker. The server's default is twice as long. */
export const workflowTaskTimeout = '5s';

/**
 * The longest pause between attempts of a turn. After an outage of the database, the next attempt is made after this
 * time at the latest.
 */
export const longestPause = '5s';

export const turnLocally = {
  summary: 'Read the rows, decide, write the decision',
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
} as const;

export const turn = {
  summary: turnLocally.summary,
  startToCloseTimeout: '30s',
  heartbeatTimeout,
  retry: { initialInterval: '200ms', maximumInterval: longestPause },
} as const;

/**
 * If a provider cannot be reached, that is a result of this activity. The activity fails only by a fault of the
 * service.
 */
export const providerCall = {
  startToCloseTimeout: '2m',
  heartbeatTimeout,
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;

/** The time limit is longer than that of any command. */
export const supervision = { ...providerCall, startToCloseTimeout: '25h' } as const;
