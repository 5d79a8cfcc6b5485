// SubmitQueue ("Keeping Master Green at Scale", EuroSys 2019). The speculation tree of a change has a build for every
// combination of outcomes of the earlier changes that conflict with it (section 4). The builds that are most probably
// needed get the workers, and at each decision running builds that are not among them are stopped (sections 3 and 6).
// Conflicts follow from affected targets (section 5). A change lands when the build whose assumptions came true is
// green.
//
// The paper's predictor is a trained model with an accuracy of 97 % (section 7.2). Its features include how many builds
// of the change passed and failed. Here one policy has a model of this accuracy, and another has the rates that a queue
// can learn from its own history. The paper leaves these details open, and they were chosen here: Outcomes are
// independent. Bayes' rule gives the weight of a build's result. Of equally valuable builds, running builds continue.
import type { Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { bestFirst } from '../speculation/best-first.ts';
import { splitBlame } from '../speculation/success-estimates.ts';
import { makeTrainedModel, learnedRates, type MakePredictor } from '../speculation/predictors.ts';

export const trainedModel = makeTrainedModel(0.97);

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
