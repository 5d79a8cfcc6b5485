import { describe, expect, it } from 'vitest';
import { findEarlierOverlap } from '../../../src/domain/queue/landing/landing-order.ts';

function standing(number: number, targets: readonly string[] | null, skipLine = false) {
  return { id: `p${number}`, number, rank: number, skipLine, targets };
}

describe('who is passed over by a landing', () => {
  const [api, web] = [['api'], ['web']];
  it.each([
    ['nobody before the first', [standing(1, api), standing(2, api)], [1], null],
    ['nobody who lands with it', [standing(1, api), standing(2, api)], [1, 2], null],
    ['nobody whom it leaves alone', [standing(1, api), standing(2, web)], [2], null],
    ['one that it overlaps', [standing(1, api), standing(2, ['api', 'web'])], [2], 1],
    ['one of whom nothing is known', [standing(1, null), standing(2, web)], [2], 1],
    ['anybody, where nothing is known of what lands', [standing(1, web), standing(2, null)], [2], 1],
    ['one that has skipped the line', [standing(1, api), standing(2, api, true)], [1], 2],
    ['one behind another that lands', [standing(3, api), standing(1, web), standing(2, api)], [1, 3], 2],
  ] as const)('%s', (_name, line, landing, passed) =>
    expect(findEarlierOverlap(line, new Set(landing.map((number) => `p${number}`)))?.number ?? null).toBe(passed),
  );
});
