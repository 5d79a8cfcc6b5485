import { editDistance } from '../edit-distance.ts';
import type { KeyEntry } from './key.ts';

const longestKey = 100;

/**
 * The key that was probably meant: first an allowed key at this place with almost the same spelling, then a key of
 * exactly this name elsewhere (with its whole path), then the key at this place that differs least. Null if no key is
 * allowed here.
 */
export function nearestKey(name: string, siblings: readonly string[], all: readonly KeyEntry[]): string | null {
  const spelling = name
    .slice(0, longestKey)
    .replaceAll(/(?<=[a-z])([A-Z])/g, '_$1')
    .replaceAll('-', '_')
    .toLowerCase();
  const ranked = siblings
    .map((key) => ({ key, distance: editDistance(spelling, key) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best && best.distance <= Math.max(1, Math.floor(best.key.length / 4))) return best.key;
  const elsewhere = all.find((entry) => entry.path.at(-1) === spelling);
  if (elsewhere) return elsewhere.path.join('.');
  return best?.key ?? null;
}
