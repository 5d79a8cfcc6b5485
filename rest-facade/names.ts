/** Puts an underscore before each capital: `headCommitSha` → `head_commit_sha`, `p50` → `p50`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital, at: number) => (at === 0 ? '' : '_') + capital.toLowerCase());
}

/** `BotPullRequest` → `Bot pull request`. */
export function sentenceCase(name: string): string {
  const spaced = snakeCase(name).replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
}
