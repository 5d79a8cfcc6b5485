// Random numbers that depend only on their keys. So every policy is tested in the same world, whatever numbers other
// policies have drawn.

/**
 * The purposes of random numbers. As the first key, a stream keeps draws for different purposes independent of each
 * other.
 */
export const streams = {
  arrival: 1,
  author: 2,
  outcome: 3,
  targets: 4,
  pair: 5,
  duration: 6,
  flake: 7,
  tree: 8,
} as const;

/** Returns a hash of 32 bits. Keys are integers of up to 53 bits. */
export function hash(...keys: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const key of keys) {
    state = mix(state ^ (key >>> 0));
    state = mix(state ^ Math.floor(key / 0x1_0000_0000));
  }
  return state >>> 0;
}

/** Returns a number with uniform distribution in [0, 1). */
export function draw(...keys: readonly number[]): number {
  return hash(...keys) / 0x1_0000_0000;
}

/** Returns a number with exponential distribution and mean 1. */
export function drawWait(...keys: readonly number[]): number {
  return -Math.log(1 - draw(...keys));
}

/** Returns `median × e^(spread × z)`, where z has standard normal distribution. */
export function drawLognormal(of: { readonly median: number; readonly spread: number }, ...keys: number[]): number {
  const radius = Math.sqrt(2 * drawWait(...keys, 1));
  return of.median * Math.exp(of.spread * radius * Math.cos(2 * Math.PI * draw(...keys, 2)));
}

// Mixes bits like the finalizer of MurmurHash3. The added constant makes zeros among the keys change the hash.
function mix(word: number): number {
  let state = Math.imul(word + 0x7ed55d16, 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  state = Math.imul(state ^ (state >>> 16), 0x27d4eb2f);
  return state ^ (state >>> 15);
}
