// Which changes need no verification. Unlike the globs of branches, those of paths know folders: `*` and `?` stay within
// one, `**` goes through any number of them, none too. Everything else is literal, and the whole path has to match.
import { RE2JS } from 're2js';

/** Whether nothing but exempt paths is changed. Of no changes at all nothing needs to be verified either. */
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
