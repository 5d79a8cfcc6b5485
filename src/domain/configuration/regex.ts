// Regular expressions of users are RE2, which matches in time linear in the text. Compiling unrolls counted
// repetitions, so the length of an expression and the product of its counts are limited before it is compiled.
import { RE2JS } from 're2js';

const longestPattern = 200;
const largestRepetition = 1000;

/** Why the expression cannot be used. Null: it can be used. */
export function regexFault(pattern: string): string | null {
  if (pattern.length > longestPattern) return `must be a regular expression of at most ${longestPattern} characters`;
  if (repetition(pattern) > largestRepetition)
    return `must not repeat more than ${largestRepetition} times (all {n} multiplied)`;
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    return `must be a regular expression in RE2 syntax: ${detail}`;
  }
}

/**
 * The greatest product of the instructions of an expression and the characters of the searched text. Such a search takes
 * a fraction of a second, during which nothing else runs.
 */
const maxMatchingInstructions = 10_000_000;

/** Searches only the beginning of a text that is too long for the expression. */
export function boundedMatcher(expression: RE2JS, text: string): ReturnType<RE2JS['matcher']> {
  return expression.matcher(text.slice(0, Math.floor(maxMatchingInstructions / expression.programSize())));
}

export function matchesWhole(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matcher(text).matches();
}

/** Replaces every match. In the replacement `$1` is the first group and `$$` a dollar sign. */
export function replaceMatches(pattern: string, text: string, replacement: string): string {
  return RE2JS.compile(pattern).matcher(text).replaceAll(replacement);
}

/** Why a replacement does not fit its valid pattern. Null: it fits. */
export function replacementFault(pattern: string, replacement: string): string | null {
  const groups = RE2JS.compile(pattern).groupCount();
  const missing = [...replacement.replaceAll('$$', '').matchAll(/\$(\d+)/g)].find(([, n]) => Number(n) > groups);
  return missing === undefined ? null : `names ${missing[0]}, and the pattern has ${groups} groups`;
}

function repetition(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  return counts.reduce((product, [, min, max]) => product * Math.max(1, Number(min), Number(max ?? 0)), 1);
}

export function findsIn(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matcher(text).find();
}
