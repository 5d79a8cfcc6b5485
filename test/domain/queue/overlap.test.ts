import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findOverlaps, overlap, type Targets } from '../../../src/domain/queue/overlap.ts';

const target = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const targets: fc.Arbitrary<Targets> = fc.option(fc.uniqueArray(target, { maxLength: 6 }), { freq: 8 });

it.each<[Targets, Targets, boolean]>([
  [['a'], ['b'], false],
  [['a', 'b'], ['b'], true],
  [null, ['a'], true],
  [null, [], true],
  [[], ['a'], false],
  [['a', 'b', 'c', 'd', 'e'], ['v', 'w', 'x', 'y', 'e'], true],
  [['a', 'b', 'c', 'd', 'e'], ['v', 'w', 'x', 'y', 'z'], false],
])('%j and %j: %s', (a, b, expected) => {
  expect(overlap(a, b)).toBe(expected);
  expect(overlap(b, a)).toBe(expected);
});

it('finds for each one in line those before it that it overlaps', () => {
  fc.assert(
    fc.property(fc.array(targets, { maxLength: 12 }), (line) => {
      const expected = line.map((own, place) =>
        line.slice(0, place).flatMap((other, before) => (overlap(own, other) ? [before] : [])),
      );
      const before = findOverlaps(line.map((each) => ({ targets: each })));
      expect(line.map((_, place) => before(place))).toEqual(expected);
    }),
  );
});
