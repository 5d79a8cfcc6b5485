/** A request of the agent that is refused, with a message that the agent can act on. */
export class ToolRefused extends Error {}
/** A request of the agent that was tried and failed. */
export class ToolFailed extends Error {}
