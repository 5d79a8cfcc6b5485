// How long what drives releases may take, and how it is tried again. What is done there is safe to do twice.

export const turnLocally = {
  summary: 'Read its rows, decide, write what was decided',
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
} as const;

export const turn = {
  summary: turnLocally.summary,
  startToCloseTimeout: '30s',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '15s' },
} as const;

/** A provider that is away is an answer; what fails is our own. */
export const providerCall = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
} as const;

/** Longer than any command may run. */
export const attendance = { ...providerCall, startToCloseTimeout: '25h' } as const;
