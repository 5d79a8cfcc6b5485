// Patterns of branch names and check names. `*` stands for any characters, including `/` and none. All other characters
// stand for themselves.

/**
 * Whether the whole text matches. The time is linear for every pattern, because each literal piece is searched once, from
 * left to right.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1) ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from);
    if (at < 0 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

export function isGlob(pattern: string): boolean {
  return pattern.includes('*');
}

/** The number of literal characters. Of several patterns that match, the pattern with the most is the most specific. */
export function literalLength(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}
