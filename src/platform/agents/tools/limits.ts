// How much one leaf may ask of its tools.

export interface ToolLimits {
  readonly calls: number;
  /** The time of a command that does not ask for less. */
  readonly commandSec: number;
  /** The size of a file that a tool reads. */
  readonly readBytes: number;
  /** Characters of one answer. */
  readonly answerLength: number;
  /** Characters of commands that are followed while they run, all of a leaf's together. */
  readonly followedLength: number;
  /**
   * What commands may add to the worktree, their home and their temporary folder, all of a leaf's together, as long as
   * it lasts.
   */
  readonly grownBytes: number;
  readonly grownFiles: number;
  /** The size of a file that a tool or a command writes. */
  readonly fileBytes: number;
  /** The size of the output of one command. */
  readonly outputBytes: number;
  /** The space that stays free on the machine's disk. */
  readonly freeBytes: number;
  /** Entries that a list or a search looks at. */
  readonly visited: number;
}

export const toolLimits: ToolLimits = {
  calls: 500,
  commandSec: 900,
  readBytes: 5_000_000,
  answerLength: 30_000,
  followedLength: 1_000_000,
  grownBytes: 2_000_000_000,
  grownFiles: 200_000,
  fileBytes: 1_000_000_000,
  outputBytes: 100_000_000,
  freeBytes: 256_000_000,
  visited: 200_000,
};
