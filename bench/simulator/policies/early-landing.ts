// SubmitQueue as in "CI at Scale: Lean, Green, and Fast" (ICSE 2025, arXiv 2501.03440). A build is not started if the
// probability that it is needed is below a threshold. A model predicts how long builds take. If a change will probably
// finish before a conflicting change ahead of it, the later change is built both with and without the earlier one, so
// that it can land first.
//
// The paper leaves these details open, and they were chosen here: The threshold is a tenth, and running builds are not
// stopped for more probable ones. Thresholds from 2 to 40 % were tried, with and without stopping. This choice gave the
// shortest waits for its number of builds. The model knows how long the builds of a change take, except for a lognormal
// error. A build that is useful with either outcome counts by the probability that the change finishes first. A change
// goes past at most three others, because three already need eight builds.
import type { Policy, PolicySetup, GroundTruth } from '../../../src/domain/simulation/policy.ts';
import { quantile, sortAscending } from '../../../src/domain/simulation/quantile.ts';
import { drawLognormal } from '../../../src/domain/simulation/randomness.ts';
import { bestFirst } from '../speculation/best-first.ts';
import type { OutcomeWeights } from '../speculation/most-probable.ts';
import type { Head } from '../speculation/paths.ts';
import { splitBlame } from '../speculation/success-estimates.ts';
import { learnedRates, type Predictor } from '../speculation/predictors.ts';
import { trainedModel } from './submitqueue.ts';

const threshold = 0.1;
const maxPassed = 3;
const errorOfModel = 0.2;
const errorStream = 102;

export function earlyLanding(setup: PolicySetup): Policy {
  return earlyLandingWith(trainedModel(setup), durationModel(setup.truth));
}

/**
 * The same policy without models. The rates are learned from history, and every build is assumed to take the median
 * time.
 */
export function earlyLandingLearned(setup: PolicySetup): Policy {
  const usual = usualDuration(setup);
  return earlyLandingWith(learnedRates(setup), () => usual);
}

function earlyLandingWith(predictor: Predictor, durationMsOf: (head: Head) => number): Policy {
  return bestFirst({
    predictor,
    isPreemptive: false,
    threshold,
    evidence: splitBlame,
    goesPast: true,
    outlook: ({ ahead, behind, probability, now }): OutcomeWeights => {
      const change = ahead.change.number;
      if (behind.undecided.size > maxPassed) return { change, lands: probability, leaves: 1 - probability };
      const running = ahead.paths.find((path) => path.verdict === 'pending')?.build.startedAt;
      const remainingMs = durationMsOf(ahead) - (typeof running === 'number' ? now - running : 0);
      const finishesFirst = probabilityOfLess(durationMsOf(behind), Math.max(1, remainingMs));
      return {
        change,
        lands: finishesFirst + (1 - finishesFirst) * probability,
        leaves: finishesFirst + (1 - finishesFirst) * (1 - probability),
      };
    },
  });
}

function usualDuration({ changes, truth }: PolicySetup): number {
  const durations = changes.map(({ number }) => truth.durationOf({ members: [number], tree: -1, attempt: number }));
  return quantile(sortAscending(durations), 0.5) ?? 1;
}

// If the builds of a change take different times, a model can know at most their mean. The mean is computed from builds
// that the simulation never makes.
function durationModel(truth: GroundTruth): (head: Head) => number {
  const attempts = [1, 2, 3, 4, 5, 6, 7, 8];
  const known = new Map<number, number>();
  return ({ change: { number } }) => {
    const before = known.get(number);
    if (before !== undefined) return before;
    const logs = attempts.map((tree) =>
      Math.log(truth.durationOf({ members: [number], tree: -tree, attempt: number })),
    );
    const middle = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
    const predicted = drawLognormal({ median: middle, spread: errorOfModel }, errorStream, number);
    known.set(number, predicted);
    return predicted;
  };
}

/**
 * The probability that the duration `one` is less than the duration `other`, if both are predicted with the model's
 * error.
 */
function probabilityOfLess(one: number, other: number): number {
  // The logistic curve approximates the normal distribution. They differ by less than a hundredth.
  return 1 / (1 + Math.exp((-1.702 * Math.log(other / one)) / (errorOfModel * Math.SQRT2)));
}
