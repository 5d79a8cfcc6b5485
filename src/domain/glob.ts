// Globs of branch and check names: `*` is any run of characters, `/` too; everything else is literal.

/**
 * Whether the whole of `text` matches. Linear for every pattern: each literal piece is searched once, left to right.
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

/** Number of literal characters: of several patterns that match, the one with most is the most specific. */
export function literalLength(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}
