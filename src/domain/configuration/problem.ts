import { plainLine } from '../plain-text.ts';

export type ProblemCode =
  | 'INVALID_YAML'
  | 'TOO_LARGE'
  | 'KEY_NOT_ALLOWED'
  | 'DUPLICATE_KEY'
  | 'UNKNOWN_KEY'
  | 'NOT_SUPPORTED'
  | 'REQUIRED'
  | 'INVALID_VALUE';

/** One reason why a configuration is refused. */
export interface Problem {
  /**
   * The path to the problem: keys as spelled in the document, and list entries by their index. Empty: the document
   * itself.
   */
  readonly path: string[];
  readonly reason: string;
  readonly code: ProblemCode;
  /**
   * Line and column count from 1. For a missing key, they are the start of the mapping that lacks it. Null: the text
   * was not parsed.
   */
  readonly line: number | null;
  readonly column: number | null;
  /** For an unknown key, the key that was probably meant. Null: no key is allowed at this place. */
  readonly nearestKey?: string | null;
}

/**
 * `mergeRules -> mergeMode -> parallelMode -> batchSize: must be an integer of at least 1` (interface 4.5). The text has
 * no control characters.
 */
export function problemText(problem: Problem): string {
  if (problem.path.length === 0) return plainLine(problem.reason);
  return plainLine(`${problem.path.map(camelCase).join(' -> ')}: ${problem.reason}`);
}

function camelCase(key: string): string {
  return key.replace(/(?<=[a-z0-9])_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
