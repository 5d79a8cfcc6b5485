import { fc } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { nextProbe, traceReach } from '../../../src/domain/releases/reach.ts';

/** Asks until the last commit of the chain that exists is known. */
function find(length: number, last: number, known: number): { readonly found: number; readonly asked: number } {
  let search = { has: known, lacks: length + 1 };
  for (let asked = 0; ; asked += 1) {
    const probe = nextProbe(search, known);
    if (probe === null) return { found: search.has, asked };
    search = probe <= last ? { ...search, has: probe } : { ...search, lacks: probe };
  }
}

const chain = fc
  .nat(20_000)
  .chain((length) => fc.tuple(fc.constant(length), fc.nat(length)))
  .chain(([length, last]) => fc.tuple(fc.constant(length), fc.constant(last), fc.nat(last)));

it('finds the last existing commit with few questions', () => {
  fc.assert(
    fc.property(chain, ([length, last, known]) => {
      const { found, asked } = find(length, last, known);
      expect(found).toBe(last);
      expect(asked).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)) + 1);
    }),
  );
});

it('asks once if the commit was known, and never at the end of the base', () => {
  expect(find(10_000, 7000, 7000)).toEqual({ found: 7000, asked: 1 });
  expect(find(10_000, 10_000, 10_000)).toEqual({ found: 10_000, asked: 0 });
});

it('a commit has of a base what its parents have, and this is certain if all of them are of the base itself', () => {
  const base = new Map([
    ['b1', 1],
    ['b2', 2],
    ['b3', 3],
  ]);
  const traced = traceReach(
    [
      { commit: 'hotfix', parents: ['b1'] },
      { commit: 'caught up', parents: ['hotfix', 'b3'] },
      { commit: 'from beside', parents: ['b2', 'merged in'] },
      { commit: 'after it', parents: ['from beside'] },
      { commit: 'of its own', parents: [] },
    ],
    base,
  );
  expect(Object.fromEntries(traced)).toEqual({
    hotfix: { has: 1, isSure: true },
    'caught up': { has: 3, isSure: true },
    'from beside': { has: 2, isSure: false },
    'after it': { has: 2, isSure: false },
    'of its own': { has: 0, isSure: true },
  });
});
