/** A request of the agent that is refused, in words it can act on. */
export class ToolRefused extends Error {}
/** It was tried and did not come about. */
export class ToolFailed extends Error {}
