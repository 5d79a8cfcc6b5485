// The limits of the tools for one leaf.

export interface ToolLimits {
  readonly calls: number;
  /** The most time of a command, and the default. */
  readonly commandSec: number;
  /** The size of a file that a tool reads. */
  readonly readBytes: number;
  /** The most characters of one answer. */
  readonly answerLength: number;
  /** How many characters of the output of all commands of a leaf are published while the commands run. */
  readonly followedLength: number;
  /**
   * How many bytes and files all commands of a leaf together may add to the worktree, their home directory and their
   * temporary folder.
   */
  readonly grownBytes: number;
  readonly grownFiles: number;
  /** The size of a file that a tool or a command writes. */
  readonly fileBytes: number;
  /** The size of the output of one command. */
  readonly outputBytes: number;
  /** The space that stays free on the machine's disk. */
  readonly freeBytes: number;
  /** How long a patch may take to be applied. */
  readonly patchMs: number;
  /** How long `list_files` or `search_files` may take. */
  readonly searchMs: number;
  /** The most entries that `list_files` or `search_files` visits. */
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
  patchMs: 10_000,
  searchMs: 30_000,
  visited: 200_000,
};
