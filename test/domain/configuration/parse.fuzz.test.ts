import { fc, seed } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { judge, texts } from './mutations.ts';

// A million by `node scripts/fuzz-configuration.mjs`.
it(`50,000 texts are accepted for good or refused with a reason, at once, without touching a prototype (FC_SEED=${seed})`, () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(texts, (text) => {
      const { isAccepted, faults } = judge(text);
      seen[isAccepted ? 'accepted' : 'refused'] += 1;
      expect(faults).toEqual([]);
    }),
    { numRuns: 50_000 },
  );
  expect(seen.accepted).toBeGreaterThan(1_000);
  expect(seen.refused).toBeGreaterThan(1_000);
  // Two minutes of CPU, which a machine that does other things gives it in many.
}, 1_800_000);
