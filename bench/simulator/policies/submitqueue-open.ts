// The open-source successor of SubmitQueue (github.com/uber/submitqueue, doc/rfc/submitqueue/speculation.md and
// outcome-scorer.md). Paths are built in the order of the probability that all their assumptions hold. The allocator is
// sticky: a running build keeps its slot. Only the number of builds is limited: there is no least probability. The
// result of the build that assumes all earlier changes to pass changes the odds of a change. A change whose builds are
// green under all assumptions about the changes before it goes past them ("Bypass large diff").
//
// Two details were chosen here: A batch has one change, because the tree of SubmitQueue is over queued changes. The
// odds begin with rates learned from history, where SubmitQueue has the constant one half, and results of builds
// multiply them by the example weights of its page (10 and 0.3).
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
