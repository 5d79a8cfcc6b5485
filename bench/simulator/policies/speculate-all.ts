// Speculate-all, one of the policies that the paper of SubmitQueue compares (EuroSys 2019, section 8). The policy takes
// both outcomes of a change for equally likely. So the tree of all combinations is built level by level, builds with
// fewer undecided changes first, until no worker is idle. The policy is SubmitQueue with a predictor that knows nothing.
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
