import { describe, expect, test } from 'vitest';
import { isEnough } from '../../../src/domain/simulation/comparison.ts';
import { logOfMerges, staysOf } from '../../../src/domain/simulation/history.ts';

describe('merges in git', () => {
  test('count as pull requests that were queued at their merge, in this order', () => {
    const log = logOfMerges([
      { commit: 'b', author: 'Bo', at: 2_000 },
      { commit: 'a', author: 'Ada', at: 1_000 },
    ]);
    expect(log.map(({ action, pullRequest, at }) => [action, pullRequest, at])).toEqual([
      ['queued', 'a', 1_000],
      ['merged', 'a', 1_000],
      ['queued', 'b', 2_000],
      ['merged', 'b', 2_000],
    ]);
    expect(staysOf(log)).toMatchObject([
      { author: 'Ada', arrivedAt: 1_000, end: { as: 'landed' } },
      { author: 'Bo', arrivedAt: 2_000, end: { as: 'landed' } },
    ]);
  });

  test.each([
    [0, false],
    [2, false],
    [19, false],
    [20, true],
    [500, true],
  ])('are enough for figures of a usual day if there are %i of them: %s', (arrivals, tell) =>
    expect(isEnough(arrivals)).toBe(tell),
  );
});
