import { fc, seed } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { examples } from '../../support/tier.ts';
import { judge, texts } from './mutations.ts';

const numRuns = examples({ standard: 1_000, full: 50_000 });

// A million by `node scripts/fuzz-configuration.mjs`.
it(`${numRuns} texts are accepted for good or refused with a reason, at once, without touching a prototype (FC_SEED=${seed})`, () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(texts, (text) => {
      const { isAccepted, faults } = judge(text);
      seen[isAccepted ? 'accepted' : 'refused'] += 1;
      expect(faults).toEqual([]);
    }),
    { numRuns },
  );
  expect(seen.accepted).toBeGreaterThan(numRuns / 50);
  expect(seen.refused).toBeGreaterThan(numRuns / 50);
  // Two minutes of CPU, which a machine that does other things gives it in many.
}, 1_800_000);
