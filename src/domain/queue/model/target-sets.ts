// Fast comparison of sets of thousands of targets by their sorted hashes. Results are cached by array: pass the same
// array for the same set to benefit.

/** Sets of at least this size count as large. */
const large = 256;

interface SortedSet {
  readonly given: readonly string[];
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** The targets in the order of their hashes. */
  readonly targets: readonly string[];
  readonly known: WeakMap<readonly string[], boolean>;
}

const sortedSets = new WeakMap<readonly string[], SortedSet>();

export function isLarge(targets: readonly string[]): boolean {
  return targets.length >= large;
}

/** From this many new sets on, `compareAll` is cheaper than comparing each pair. */
const several = 4;

/** Finds for all pairs of large sets whether they share a target, at a cost proportional to the number of targets. */
export function compareAll(sets: readonly (readonly string[])[]): void {
  if (sets.filter((targets) => !sortedSets.has(targets)).length < several) return;
  const all = [...new Set(sets)].map(sortedSetOf);
  // Hash and set index are packed in one number, so that sets with a common hash become neighbours.
  const keys = new Float64Array(all.reduce((sum, { hashes }) => sum + hashes.length, 0));
  let filled = 0;
  for (const [set, { hashes }] of all.entries()) for (const hashed of hashes) keys[filled++] = hashed * 2 ** 21 + set;
  keys.sort();
  const candidates = new Uint8Array(all.length ** 2);
  let begin = 0;
  for (let end = 1; end <= keys.length; end += 1) {
    if (end < keys.length && Math.floor((keys[end] ?? 0) / 2 ** 21) === Math.floor((keys[begin] ?? 0) / 2 ** 21))
      continue;
    for (let later = begin + 1; later < end; later += 1)
      for (let earlier = begin; earlier < later; earlier += 1)
        candidates[((keys[later] ?? 0) % 2 ** 21) * all.length + ((keys[earlier] ?? 0) % 2 ** 21)] = 1;
    begin = end;
  }
  for (const [one, a] of all.entries())
    for (const [other, b] of all.slice(0, one).entries()) {
      const found = candidates[one * all.length + other] === 1 && intersect(a, b);
      a.known.set(b.given, found);
      b.known.set(a.given, found);
    }
}

/** Whether the two sets have a common target. `many` must be large. */
export function shareTarget(few: readonly string[], many: readonly string[]): boolean {
  const { known } = sortedSetOf(many);
  const before = known.get(few);
  if (before !== undefined) return before;
  const found = isLarge(few) ? intersect(sortedSetOf(few), sortedSetOf(many)) : few.some((target) => has(many, target));
  known.set(few, found);
  return found;
}

function sortedSetOf(targets: readonly string[]): SortedSet {
  const known = sortedSets.get(targets);
  if (known !== undefined) return known;
  // Hash and index are packed in one number, exact up to 2^53, so that sorting needs no comparator.
  const keys = Float64Array.from(targets, (target, index) => hash(target) * 2 ** 21 + index).sort();
  const hashes = Uint32Array.from(keys, (key) => Math.floor(key / 2 ** 21));
  const sorted = {
    given: targets,
    hashes,
    targets: Array.from(keys, (key) => targets[key % 2 ** 21] ?? ''),
    known: new WeakMap(),
  };
  sortedSets.set(targets, sorted);
  return sorted;
}

function intersect(a: SortedSet, b: SortedSet): boolean {
  let [one, other] = [0, 0];
  while (one < a.hashes.length && other < b.hashes.length) {
    const ofOne = a.hashes[one] ?? 0;
    const ofOther = b.hashes[other] ?? 0;
    if (ofOne === ofOther && holdsAt(b, other, a.targets[one] ?? '')) return true;
    // These lines avoid a branch, because the processor would mispredict the branch half of the time.
    one += Number(ofOne <= ofOther);
    other += Number(ofOther < ofOne);
  }
  return false;
}

function has(targets: readonly string[], target: string): boolean {
  const set = sortedSetOf(targets);
  const hashed = hash(target);
  let [low, high] = [0, set.hashes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set.hashes[middle] ?? 0) < hashed) low = middle + 1;
    else high = middle;
  }
  return holdsAt(set, low, target);
}

/**
 * Whether one of the targets with the same hash is `target`. `first` is the index of the first target with the hash.
 */
function holdsAt({ hashes, targets }: SortedSet, first: number, target: string): boolean {
  for (let at = first; at < targets.length && hashes[at] === hashes[first]; at += 1)
    if (targets[at] === target) return true;
  return false;
}

/** FNV-1a with 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}
