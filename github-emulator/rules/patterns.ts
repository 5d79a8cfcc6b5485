// Branch name patterns of protection rules and rulesets. GitHub matches them like Ruby's File.fnmatch with
// FNM_PATHNAME: `*` and `?` stop at a slash, and a `**` path component matches any number of path components.

const special = /[.+^$(){}|\\/]/;

/** The end of a `[…]` class that begins at `start`. Null: the bracket is an ordinary character. */
function endOfClass(pattern: string, start: number): number | null {
  const first = pattern[start + 1] === '!' || pattern[start + 1] === '^' ? start + 2 : start + 1;
  const end = pattern.indexOf(']', first + 1);
  return end === -1 ? null : end;
}

function toRegExp(pattern: string): RegExp {
  let source = '';
  let at = 0;
  while (at < pattern.length) {
    const letter = pattern[at] ?? '';
    const classEnd = letter === '[' ? endOfClass(pattern, at) : null;
    if (pattern.startsWith('**/', at) && (at === 0 || pattern[at - 1] === '/')) {
      source += '(?:[^/]+/)*';
      at += 3;
    } else if (pattern.startsWith('**', at) && at + 2 === pattern.length && pattern[at - 1] === '/') {
      source += '.*';
      at += 2;
    } else if (letter === '*') {
      source += '[^/]*';
      at += 1;
    } else if (letter === '?') {
      source += '[^/]';
      at += 1;
    } else if (classEnd !== null) {
      source += `[${pattern
        .slice(at + 1, classEnd)
        .replace(/^!/, '^')
        .replaceAll('\\', '\\\\')}]`;
      at = classEnd + 1;
    } else {
      source += special.test(letter) || letter === '[' || letter === ']' ? `\\${letter}` : letter;
      at += 1;
    }
  }
  return new RegExp(`^${source}$`);
}

export function matchesPattern(pattern: string, name: string): boolean {
  return toRegExp(pattern).test(name);
}

export interface RefNameCondition {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/**
 * Whether a ref meets the `ref_name` condition of a ruleset. The condition has `~ALL`, `~DEFAULT_BRANCH` or patterns of
 * full ref names.
 */
export function matchesRefName(condition: RefNameCondition, ref: string, defaultBranch: string): boolean {
  const matches = (pattern: string) =>
    pattern === '~ALL' ||
    (pattern === '~DEFAULT_BRANCH' ? ref === `refs/heads/${defaultBranch}` : matchesPattern(pattern, ref));
  return condition.include.some(matches) && !condition.exclude.some(matches);
}
