import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { batchCosts, bestBatchSize } from '../../../src/domain/queue/speculation/batches.ts';

const sound = (failure: number) => ({ failure, flake: 0 });

describe('the best size of a batch', () => {
  it.each([
    [0, 64],
    [0.01, 64],
    [0.02, 32],
    [0.05, 16],
    [0.08, 8],
    [0.1, 8],
    [0.15, 4],
    [0.2, 4],
    [0.25, 2],
    [0.292, 2],
    [0.294, 1],
    [0.3, 1],
    [0.9, 1],
    [1, 1],
  ])('at a failure rate of %d is %i', (failure, size) => expect(bestBatchSize(sound(failure), 64)).toBe(size));

  it('is at most the allowed size, and at least one', () => {
    expect(bestBatchSize(sound(0.01), 5)).toBe(5);
    expect(bestBatchSize(sound(0.01), 1)).toBe(1);
  });

  it('is larger if builds of good pull requests often fail, because fewer builds fail less often', () => {
    const sizes = [0, 0.05, 0.2].map((flake) => bestBatchSize({ failure: 0.08, flake }, 64));
    expect(sizes).toEqual([8, 8, 16]);
  });

  it('never grows with the failure rate', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (one, other) => {
          const [few, many] = [Math.min(one, other), Math.max(one, other)];
          expect(bestBatchSize(sound(many), 32)).toBeLessThanOrEqual(bestBatchSize(sound(few), 32));
        },
      ),
    );
  });
});

/**
 * The number of builds until the first bad pull request of a red batch is found, and whether its last build was of it
 * alone.
 */
function search(bad: readonly boolean[]): { readonly builds: number; readonly isSingle: boolean } {
  if (bad.length === 1) return { builds: 0, isSingle: false };
  const half = bad.slice(0, Math.ceil(bad.length / 2));
  const isInHalf = half.includes(true);
  const rest = search(isInHalf ? half : bad.slice(half.length));
  return { builds: rest.builds + 1, isSingle: isInHalf && half.length === 1 ? true : rest.isSingle };
}

/** The expected values over all combinations of bad pull requests, weighted by their probability. */
function expectation(size: number, failure: number): number {
  let [builds, settled] = [0, 0];
  for (let set = 0; set < 1 << size; set += 1) {
    const bad = Array.from({ length: size }, (_, place) => ((set >> place) & 1) === 1);
    const chance = bad.reduce((product, is) => product * (is ? failure : 1 - failure), 1);
    const first = bad.indexOf(true);
    const found = first === -1 ? { builds: 0, isSingle: true } : search(bad);
    builds += chance * (1 + found.builds + (found.isSingle || size === 1 ? 0 : 1));
    settled += chance * (first === -1 ? size : first + 1);
  }
  return builds / settled;
}

describe('the cost of a batch', () => {
  it.each([0.02, 0.08, 0.15, 0.29, 0.5])(
    'is the average cost of all its histories, at a failure rate of %d',
    (failure) => {
      const counted = Array.from({ length: 9 }, (_, at) => expectation(at + 1, failure));
      const costs = batchCosts(sound(failure), 9);
      expect(costs.map((cost) => cost.toFixed(6))).toEqual(counted.map((cost) => cost.toFixed(6)));
    },
  );

  const entropy = (p: number): number => -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
  const dorfman = (p: number): number =>
    Math.min(1, ...Array.from({ length: 200 }, (_, at) => 1 / (at + 2) + 1 - (1 - p) ** (at + 2)));

  it.each(Array.from({ length: 40 }, (_, at) => (at + 1) / 100))(
    'at a failure rate of %d is at least the entropy, and within 3 %% of the best of two stages',
    (failure) => {
      const best = Math.min(...batchCosts(sound(failure), 64));
      expect(best).toBeGreaterThanOrEqual(Math.min(1, entropy(failure)));
      expect(best).toBeLessThanOrEqual(dorfman(failure) * 1.03);
    },
  );
});
