// Finds out whether a pull request is blocked because its newest batch failed.

const decisive: ReadonlySet<string> = new Set(['queued', 'added_to_batch', 'reset', 'blocked']);

/**
 * Whether a blocked pull request was blocked by the end of its newest batch. `actions` are the actions of its events,
 * newest first. False: it has been requeued, queued or blocked again since, so its block has another reason.
 */
export function isBlockedByNewestBatch(actions: readonly string[]): boolean {
  // A failure resets the builds after it, and the event of this reset follows the block.
  const beforeBlock = actions.slice(actions.indexOf('blocked') + 1);
  return actions.includes('blocked') && beforeBlock.find((action) => decisive.has(action)) === 'added_to_batch';
}
