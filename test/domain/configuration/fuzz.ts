// Reads mutated configurations, a million by default. If one fails, prints a small text that fails, and exits with code
// 1.
import { parseArgs } from 'node:util';
import { fc } from '../../support/properties.ts';
import { judge, texts } from './mutations.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const numRuns = Number(values.runs);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const startedAt = performance.now();
const seen = { accepted: 0, refused: 0, slowestMs: 0 };

console.log(`${numRuns} texts, seed ${seed}`);
const outcome = fc.check(
  fc.property(texts, (text) => {
    const { isAccepted, costMs, faults } = judge(text);
    seen[isAccepted ? 'accepted' : 'refused'] += 1;
    seen.slowestMs = Math.max(seen.slowestMs, costMs);
    if ((seen.accepted + seen.refused) % 100_000 === 0) tell();
    return faults.length === 0;
  }),
  { numRuns, seed },
);
tell();
if (outcome.counterexample !== null) {
  const [text] = outcome.counterexample;
  console.error(`Failed after ${outcome.numRuns}: ${judge(text).faults.join(', ')}\n${JSON.stringify(text)}`);
}
process.exit(outcome.failed ? 1 : 0);

function tell(): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${seen.accepted} accepted, ${seen.refused} refused, slowest ${seen.slowestMs.toFixed(0)} ms, ${seconds} s`,
  );
}
