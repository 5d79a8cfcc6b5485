// Speculate-all, as it is compared in EuroSys 2019 (section 8): either outcome of a change is held as likely, so the tree
// of all combinations is built level by level, those with fewer undecided changes first, as far as the workers go.
// It is the engine of SubmitQueue with a predictor that knows nothing, and like it gives a worker to what is more probable.
import type { Policy } from '../../../src/domain/simulation/policy.ts';
import { bestFirst } from '../speculation/best-first.ts';
import { evenOdds } from '../speculation/predictors.ts';

export function speculateAll(setup: Parameters<typeof evenOdds>[0]): Policy {
  return bestFirst({
    predictor: evenOdds(setup),
    isPreemptive: true,
    threshold: 0,
    goesPast: false,
  });
}
