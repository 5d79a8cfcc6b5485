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
  /** Entries that a list or a search looks at. */
  readonly visited: number;
}

export const toolLimits: ToolLimits = {
  calls: 500,
  commandSec: 900,
  readBytes: 5_000_000,
  answerLength: 30_000,
  followedLength: 1_000_000,
  visited: 200_000,
};
