// Which changes need no verification. Globs of paths, unlike those of branches, respect folders: `*` and `?` stay
// within one folder, and `**` spans any number of folders, including none. All other characters are literal, and the
// whole path must match.
import { RE2JS } from 're2js';

/** Whether every changed path is exempt. A pull request without changes is exempt too. */
export function isExempt(globs: readonly string[], paths: readonly string[]): boolean {
  if (globs.length === 0) return false;
  const patterns = globs.map((glob) => RE2JS.compile(patternOf(glob)));
  return paths.every((path) => patterns.some((pattern) => pattern.matcher(path).matches()));
}

/** RE2, so that matching takes time linear in the path. */
function patternOf(glob: string): string {
  const pieces = glob.split(/(\*\*\/|\*\*|\*|\?)/);
  return `(?s)${pieces.map((piece) => wildcards[piece] ?? RE2JS.quote(piece)).join('')}`;
}

const wildcards: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};
