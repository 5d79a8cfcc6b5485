// How much one leaf may ask of its tools.

export interface ToolLimits {
  readonly calls: number;
  /** A command's own, when it does not ask for less. */
  readonly commandSec: number;
  /** Of one file, when it is read. */
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
  /** Of one file, written by a tool or by a command. */
  readonly fileBytes: number;
  /** What one command may write on its output. */
  readonly outputBytes: number;
  /** What stays free on the machine's disk. */
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
