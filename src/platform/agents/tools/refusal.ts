/** A request of the agent that is refused, with a message that the agent can act on. */
export class ToolRefused extends Error {}
/** It was tried and did not come about. */
export class ToolFailed extends Error {}
