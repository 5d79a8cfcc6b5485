// SubmitQueue ("Keeping Master Green at Scale", EuroSys 2019): the speculation tree of a change holds a build for every
// combination of outcomes of the changes before it that conflict with it (section 4); the most valuable builds, by the
// probability that they are needed, have the workers, and at each look running builds that are not among them are
// aborted (section 3 and 6); conflicts by affected targets (section 5). It lands when the build of what really happened
// is green. Its predictor is a trained model, of which the paper reports 97 % accuracy (section 7.2), with the builds
// of a change that passed and failed so far among its features; here one of just that accuracy, and one with the rates
// a queue can learn from its own history. Ours, where it is silent: outcomes are taken as independent; the weight of a
// build's result, by the rule of Bayes; of equally valuable builds the running ones go on.
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { bestFirst } from '../speculation/best-first.ts';
import { splitBlame } from '../speculation/success-estimates.ts';
import { accurateIn, learnedRates, type MakePredictor } from '../speculation/predictors.ts';

export const trainedModel = accurateIn(0.97);

const submitQueueWith =
  (predictorFor: MakePredictor) =>
  (setup: PolicySetup): Policy =>
    bestFirst({
      predictor: predictorFor(setup),
      evidence: splitBlame,
      isPreemptive: true,
      threshold: 0,
      goesPast: false,
    });

export const submitQueue = submitQueueWith(trainedModel);

export const submitQueueLearned = submitQueueWith(learnedRates);
