// When an effect at the host that failed is tried again. One that the host refuses is not: this is about a host that is
// away, or fails for reasons of its own.

/** A step of the queue, or words for people. */
export type EffectSort = 'step' | 'words';

/** Words tried this often are given up: with the longest waits in between, after more than four hours. */
export const mostTries = 20;

const firstMs = 1_000;
const longestMs = { step: 60_000, words: 30 * 60_000 } as const satisfies Record<EffectSort, number>;

/** Milliseconds to wait after so many tries; null: no more. What the line waits for is never given up. */
export function decideNextTry(sort: EffectSort, tries: number): number | null {
  if (sort === 'words' && tries >= mostTries) return null;
  return Math.min(longestMs[sort], firstMs * 2 ** (tries - 1));
}
