import { fc, seed } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { examples } from '../../support/tier.ts';
import { judge, texts } from './mutations.ts';

const numRuns = examples({ standard: 1_000, full: 50_000 });

// `node scripts/fuzz-configuration.mjs` runs a million texts.
it(`${numRuns} texts are accepted with a stable meaning or refused with a reason, each within 50 ms of CPU, and no prototype changes (FC_SEED=${seed})`, () => {
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
  // The test takes two minutes of CPU. On a busy machine this may be many minutes.
}, 1_800_000);
