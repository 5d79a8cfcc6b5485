// Predicts the probability that a change lands, before any of its builds has ended.
import { estimateSuccessProbability } from '../../../src/domain/queue/model/success-probability.ts';
import type { Change, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';

export interface Predictor {
  /** The probability that the change lands. `behind`: the number of undecided changes that may conflict with it. */
  chanceOf(change: Change, behind: number): number;
  learn(change: Change, outcome: { readonly hasLanded: boolean; readonly behind: number }): void;
}

export type MakePredictor = (setup: PolicySetup) => Predictor;

/** Knows nothing about any change, and gives both outcomes the same probability. */
export const evenOdds: MakePredictor = () => ({ chanceOf: () => 0.5, learn: () => {} });

// The stream of the random numbers of this file. No stream of the world has the same number.
const accuracyStream = 101;

/**
 * A trained model of a given accuracy. It calls each change good or bad by itself, and it is right in `share` of the
 * good and of the bad changes. Its probabilities are calibrated: a change that it calls bad is bad as often as it says.
 * It learns during the day how often two changes that may conflict do conflict.
 */
export function makeTrainedModel(share: number): MakePredictor {
  return ({ changes, truth }) => {
    const none = new Set<number>();
    const isGood = (change: Change): boolean => truth.isGreen(none, [change.number]);
    const good = changes.filter(isGood).length / Math.max(1, changes.length);
    const calledGood = good * share + (1 - good) * (1 - share);
    const chanceIfCalledGood = (good * share) / calledGood;
    const chanceIfCalledBad = (good * (1 - share)) / (1 - calledGood);
    const callsGood = (change: Change): boolean =>
      isGood(change) === draw(change.number, accuracyStream, change.author) < share;
    const conflicts = { seen: 1, met: 30 };
    return {
      chanceOf: (change, behind) =>
        (callsGood(change) ? chanceIfCalledGood : chanceIfCalledBad) * (1 - conflicts.seen / conflicts.met) ** behind,
      learn(change, { hasLanded, behind }) {
        if (!callsGood(change)) return;
        conflicts.met += behind;
        if (!hasLanded && behind > 0) conflicts.seen += 1;
      },
    };
  };
}

/** Learns success rates from the queue's own history, by the same rule as the product. */
export const learnedRates: MakePredictor = ({ past }) => {
  const repository = { passed: 0, judged: 0 };
  const authors = new Map<number, { passed: number; judged: number }>();
  const recordOf = (author: number): { passed: number; judged: number } => {
    const record = authors.get(author) ?? { passed: 0, judged: 0 };
    authors.set(author, record);
    return record;
  };
  const learn = ({ author }: Pick<Change, 'author'>, { hasLanded }: { readonly hasLanded: boolean }): void => {
    for (const record of [repository, recordOf(author)]) {
      record.judged += 1;
      if (hasLanded) record.passed += 1;
    }
  };
  for (const end of past?.ends ?? []) learn(end, end);
  return { chanceOf: ({ author }) => estimateSuccessProbability({ repository, author: recordOf(author) }), learn };
};

/** Keeps a probability between two bounds, because no outcome is certain. */
export function clampProbability(probability: number): number {
  return Math.min(0.999, Math.max(0.001, probability));
}
