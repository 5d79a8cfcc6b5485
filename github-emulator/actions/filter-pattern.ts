// Filter patterns of workflow files (`branches`, `paths`). They are no shell globs: `?` and `+` repeat the character
// before them, `*` stops at a slash, `**` does not.

function toRegExp(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    if (letter === '*' && pattern[at + 1] === '*') {
      // `**/x` also matches `x`.
      const leading = pattern[at + 2] === '/' && (at === 0 || pattern[at - 1] === '/');
      source += leading ? '(?:.*/)?' : '.*';
      at += leading ? 2 : 1;
    } else if (letter === '*') source += '[^/]*';
    else if (letter === '?' || letter === '+' || letter === '[' || letter === ']') source += letter;
    else if (letter === '\\') {
      at += 1;
      source += `\\${pattern[at] ?? '\\'}`;
    } else source += letter.replace(/[.^$(){}|/]/, '\\$&');
  }
  return new RegExp(`^${source}$`);
}

/** The last pattern that matches decides; one with `!` in front takes out what an earlier one took in. */
export function matchesFilter(patterns: readonly string[], name: string): boolean {
  return patterns.reduce((taken, pattern) => {
    const negative = pattern.startsWith('!');
    return toRegExp(negative ? pattern.slice(1) : pattern).test(name) ? !negative : taken;
  }, false);
}
