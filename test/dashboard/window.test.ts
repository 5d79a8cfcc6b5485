// Which part of a long line the dashboard reads, and what it shows of the rest.
import { describe, expect, it } from 'vitest';
import { decideWindow, fillSlots, windowSize } from '../../dashboard/src/queue/window.ts';
import { fc } from '../support/properties.ts';

type Queue = Parameters<typeof fillSlots>[0];

interface Read {
  readonly from: number;
  readonly numbers: readonly number[];
  readonly totalCount: number;
  readonly members?: readonly { readonly number: number; readonly position: number | null }[];
  readonly asOf?: string;
}

/** The answer for a queue whose window begins at `from`. */
function answer({ from, numbers, totalCount, members = [], asOf }: Read): Queue {
  return {
    asOf: asOf ?? null,
    line: { totalCount, nodes: numbers.map((number, at) => ({ position: from + at, pullRequest: { number } })) },
    batches: { nodes: [{ members: members.map((pullRequest) => ({ pullRequest })) }] },
  } as unknown as Queue;
}

const numbersOf = (read: Read): readonly number[] => fillSlots(answer(read)).map(({ number }) => number);

describe('the window of a line', () => {
  it.each([
    ['stays if it contains all shown rows', 1, { first: 1, last: 20 }, 1],
    ['stays if its last row is shown', 1, { first: 31, last: 50 }, 1],
    ['moves if a row behind it is shown', 1, { first: 32, last: 51 }, 11],
    ['moves if a row before it is shown', 101, { first: 95, last: 112 }, 71],
    ['jumps to where the scroll bar was dragged', 1, { first: 4_000, last: 4_018 }, 3_981],
    ['never begins before the first row', 201, { first: 1, last: 12 }, 1],
  ])('%s', (_, begin, shown, expected) => {
    expect(decideWindow(begin, shown)).toBe(expected);
  });

  it('contains all rows that fit on a screen, and then stays', () => {
    fc.assert(
      fc.property(fc.nat(6_000), fc.nat(5_000), fc.nat(windowSize / 2 - 10), (begin, first, more) => {
        const shown = { first: first + 1, last: first + 1 + more };
        const from = decideWindow(begin + 1, shown);
        expect(from).toBeLessThanOrEqual(shown.first);
        expect(from + windowSize).toBeGreaterThan(shown.last);
        expect(decideWindow(from, shown)).toBe(from);
      }),
    );
  });
});

describe('a long line', () => {
  it('has a row for each place, and says which rows have been read', () => {
    const slots = fillSlots(answer({ from: 3, numbers: [30, 40], totalCount: 5 }));
    expect(slots.map(({ place, number, entry }) => [place, number, entry !== null])).toEqual([
      [1, -1, false],
      [2, -2, false],
      [3, 30, true],
      [4, 40, true],
      [5, -5, false],
    ]);
  });

  it.each([
    ['shows members of builds at their places', { members: [{ number: 7, position: 1 }] }, [7, -2, 30, 40]],
    ['leaves out members that are not in line', { members: [{ number: 7, position: null }] }, [-1, -2, 30, 40]],
    ['shows no pull request at two places', { members: [{ number: 30, position: 1 }] }, [-1, -2, 30, 40]],
    ['shows no two pull requests at one place', { members: [{ number: 7, position: 3 }] }, [-1, -2, 30, 40]],
    [
      'does not use the places of now for a moment of the past',
      { members: [{ number: 7, position: 1 }], asOf: '2026-11-22T14:21:00Z' },
      [-1, -2, 30, 40],
    ],
    ['is as long as its last entry says if its count is older', { totalCount: 3 }, [-1, -2, 30, 40]],
  ])('%s', (_, more, expected) => {
    expect(numbersOf({ from: 3, numbers: [30, 40], totalCount: 4, ...more })).toEqual(expected);
  });
});
