import { fc } from '../../support/properties.ts';
import { expect, test } from 'vitest';
import { inLineOrder } from '../../../src/domain/queue/model/order.ts';

const placed = fc.record({ skipLine: fc.boolean(), rank: fc.nat(20), number: fc.nat(1000) });

test('pull requests that skip the line go first, in their own order, and then the others by rank', () => {
  const line = [
    { number: 1, rank: 1, skipLine: false },
    { number: 2, rank: 5, skipLine: true },
    { number: 3, rank: 2, skipLine: false },
    { number: 4, rank: 4, skipLine: true },
  ];
  expect(inLineOrder(line).map((pullRequest) => pullRequest.number)).toEqual([4, 2, 1, 3]);
});

test('the order does not depend on the order of the input', () => {
  fc.assert(
    fc.property(fc.uniqueArray(placed, { selector: (pullRequest) => pullRequest.number }), (line) => {
      expect(inLineOrder(line.toReversed())).toEqual(inLineOrder(line));
    }),
  );
});
