// SubmitQueue as in "CI at Scale: Lean, Green, and Fast" (ICSE 2025, arXiv 2501.03440): nothing is built whose
// probability of being needed is under a threshold; a model predicts how long builds take, and a change that will be
// done long before a conflicting one ahead of it is built both with and without that one, so that it can land first.
// Ours, where it is silent: the threshold, a tenth, and that running builds are not aborted for more probable ones: of
// what was tried (2 to 40 %, with and without) that gave the shortest waits for its builds. The model knows how long a
// change's builds take, except for a lognormal error; what is worth building either way is worth that by the
// probability of being done first; no more than three are gone past, as that takes eight builds.
import type { Policy, PolicySetup, GroundTruth } from '../../../src/domain/simulation/policy.ts';
import { quantile, rising } from '../../../src/domain/simulation/quantile.ts';
import { drawLognormal } from '../../../src/domain/simulation/randomness.ts';
import { bestFirst } from '../speculation/best-first.ts';
import type { OutcomeWeights } from '../speculation/most-probable.ts';
import type { Head } from '../speculation/paths.ts';
import { splitBlame } from '../speculation/success-estimates.ts';
import { learnedRates, type Predictor } from '../speculation/predictors.ts';
import { trainedModel } from './submitqueue.ts';

const threshold = 0.1;
const mostGonePast = 3;
const errorOfModel = 0.2;
const errorStream = 102;

export function earlyLanding(setup: PolicySetup): Policy {
  return earlyLandingWith(trainedModel(setup), durationModel(setup.truth));
}

/** Without either model: rates learned from history, and every build taken to last as long as the middle one. */
export function earlyLandingLearned(setup: PolicySetup): Policy {
  const usual = usualDuration(setup);
  return earlyLandingWith(learnedRates(setup), () => usual);
}

function earlyLandingWith(predictor: Predictor, lastsMs: (head: Head) => number): Policy {
  return bestFirst({
    predictor,
    isPreemptive: false,
    threshold,
    evidence: splitBlame,
    goesPast: true,
    outlook: ({ ahead, behind, probability, now }): OutcomeWeights => {
      const change = ahead.change.number;
      if (behind.undecided.size > mostGonePast) return { change, lands: probability, leaves: 1 - probability };
      const running = ahead.paths.find((path) => path.verdict === 'pending')?.build.startedAt;
      const left = lastsMs(ahead) - (typeof running === 'number' ? now - running : 0);
      const isFirst = chanceOfLess(lastsMs(behind), Math.max(1, left));
      return {
        change,
        lands: isFirst + (1 - isFirst) * probability,
        leaves: isFirst + (1 - isFirst) * (1 - probability),
      };
    },
  });
}

function usualDuration({ changes, truth }: PolicySetup): number {
  const durations = changes.map(({ number }) => truth.durationOf({ members: [number], tree: -1, attempt: number }));
  return quantile(rising(durations), 0.5) ?? 1;
}

// Where builds of one change differ, no model could know more than their middle: that of some builds never made.
function durationModel(truth: GroundTruth): (head: Head) => number {
  const imagined = [1, 2, 3, 4, 5, 6, 7, 8];
  const known = new Map<number, number>();
  return ({ change: { number } }) => {
    const before = known.get(number);
    if (before !== undefined) return before;
    const logs = imagined.map((tree) =>
      Math.log(truth.durationOf({ members: [number], tree: -tree, attempt: number })),
    );
    const middle = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
    const predicted = drawLognormal({ median: middle, spread: errorOfModel }, errorStream, number);
    known.set(number, predicted);
    return predicted;
  };
}

/** That the one takes less than the other, both being predicted with the model's error. */
function chanceOfLess(one: number, other: number): number {
  // The logistic curve stands for the normal distribution: they differ by less than a hundredth.
  return 1 / (1 + Math.exp((-1.702 * Math.log(other / one)) / (errorOfModel * Math.SQRT2)));
}
