/** What the agent asked for is not done, in words it can act on. */
export class ToolRefused extends Error {}
/** It was tried and did not come about. */
export class ToolFailed extends Error {}
