// The open-source successor of SubmitQueue (github.com/uber/submitqueue, doc/rfc/submitqueue/speculation.md and
// outcome-scorer.md): paths come best first by the probability that all their assumptions hold; the allocator is sticky,
// a running build keeps its slot; the number of builds is all that limits it, there is no floor; what its builds showed
// on the path that assumes everybody to pass moves a change's odds; a change that is green whatever becomes of those
// before it goes past them ("Bypass large diff").
// Ours: batches of one, as its tree is over what is queued; odds by the example weights of its page (10 and 0.3) on top
// of rates learned from history, where it ships a constant of one half.
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { bestFirst } from '../speculation/best-first.ts';
import type { Evidence } from '../speculation/success-estimates.ts';
import { learnedRates } from '../speculation/predictors.ts';

const exampleWeights: Evidence = ({ head, path }) => {
  const assumesAll = path.open.size === head.undecided.size;
  if (!assumesAll) return 1;
  return path.verdict === 'green' ? 10 : 0.3;
};

export function submitQueueOpen(setup: PolicySetup): Policy {
  return bestFirst({
    predictor: learnedRates(setup),
    evidence: exampleWeights,
    isPreemptive: false,
    threshold: 0,
    goesPast: true,
  });
}
