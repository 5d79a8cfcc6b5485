import { fc } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { findOverlaps, indexOverlaps, overlap, type Targets } from '../../../src/domain/queue/model/overlap.ts';

const target: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const few = fc.uniqueArray(target, { maxLength: 6 });
/** So many that they are compared as a whole; of these few pairs share one besides. */
const many = fc
  .tuple(few, fc.nat(4))
  .map(([named, group]) => [...named, ...Array.from({ length: 300 }, (_, number) => `//${group}/${number}`)]);
const targets: fc.Arbitrary<Targets> = fc.option(fc.oneof(few, many), { freq: 8 });

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

it('agrees with a comparison target by target, however many there are', () => {
  fc.assert(
    fc.property(fc.oneof(few, many), fc.oneof(few, many), (a, b) => {
      expect(overlap(a, b)).toBe(a.some((each) => b.includes(each)));
    }),
  );
});

it('does not take two targets of one hash for the same', () => {
  const rest = (name: string): string[] => Array.from({ length: 300 }, (_, number) => `${name} ${number}`);
  // 32 bits of FNV-1a are the same.
  const [one, other] = ['t7pfs', 'tovja'];
  expect(overlap([one, ...rest('a')], [other, ...rest('b')])).toBe(false);
  expect(overlap([one], [other, ...rest('b')])).toBe(false);
  expect(overlap([one, ...rest('a')], [other, one, ...rest('b')])).toBe(true);
  expect(overlap([one], [other, one, ...rest('b')])).toBe(true);
  const line = [[one, ...rest('a')], [other, ...rest('b')], rest('c'), rest('d'), [one, ...rest('e')]];
  const before = findOverlaps(line.map((each) => ({ targets: each })));
  expect(line.map((_, place) => before(place))).toEqual([[], [], [], [], [0]]);
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

it('tells whether there is one before it without finding them all', () => {
  fc.assert(
    fc.property(fc.array(targets, { maxLength: 12 }), fc.nat(12), (line, from) => {
      const { before, hasBefore } = indexOverlaps(line.map((each) => ({ targets: each })));
      const expected = line.map((_, place) => before(place).some((other) => other >= from));
      expect(line.map((_, place) => hasBefore(place, from))).toEqual(expected);
    }),
  );
});

it('finds the neighbours from a place on, and the targets that connect all of them', () => {
  fc.assert(
    fc.property(fc.array(targets, { maxLength: 12 }), fc.nat(12), (line, from) => {
      const index = indexOverlaps(line.map((each) => ({ targets: each })));
      const all = (place: number) => index.before(place).filter((other) => other >= from);
      const places = [...line.keys()].filter((place) => place >= from);
      for (const place of places) expect(index.between(from, place)).toEqual(all(place));
      const links = (place: number) => index.linksBefore(place, from);
      for (const place of places) expect(all(place)).toEqual(expect.arrayContaining([...links(place)]));
      expect(componentsBy(places, links)).toEqual(componentsBy(places, all));
    }),
  );
});

/** Returns for each place the first place of its component. */
function componentsBy(places: readonly number[], before: (place: number) => readonly number[]): readonly number[] {
  const first = new Map(places.map((place) => [place, place]));
  for (const place of places)
    for (const other of before(place)) {
      const [one, two] = [first.get(place) ?? place, first.get(other) ?? other];
      for (const [each, name] of first) if (name === one || name === two) first.set(each, Math.min(one, two));
    }
  return [...first.values()];
}

const factor = fc.integer({ min: 1, max: 16 }).map((sixteenths) => sixteenths / 16);

it('bounds the product over those before it from above, and where each has one target finds it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(targets, factor), { maxLength: 12 }), fc.boolean(), (of, areSingle) => {
      const line = of.map(([own]) => ({ targets: areSingle ? (own?.slice(0, 1) ?? null) : own }));
      const { before, productsBefore } = indexOverlaps(line);
      const bounds = productsBefore(of.map(([, each]) => each));
      for (const place of line.keys()) {
        const product = before(place).reduce((all, other) => all * (of[other]?.[1] ?? 1), 1);
        if (areSingle) expect(bounds[place]).toBeCloseTo(product, 12);
        else expect(bounds[place]).toBeGreaterThanOrEqual(product);
      }
    }),
  );
});

it('counts a target that is named twice once', () => {
  const { productsBefore } = indexOverlaps([{ targets: ['a', 'a'] }, { targets: ['a'] }]);
  expect([...productsBefore([0.5, 0.5])]).toEqual([1, 0.5]);
});
