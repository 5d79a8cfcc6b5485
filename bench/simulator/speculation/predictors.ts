// How likely it is that a change lands, before anything is known of its builds.
import { estimateSuccessProbability } from '../../../src/domain/queue/model/success-probability.ts';
import type { Change, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';

export interface Predictor {
  /** `behind`: with how many undecided changes the change may conflict. */
  chanceOf(change: Change, behind: number): number;
  learn(change: Change, outcome: { readonly hasLanded: boolean; readonly behind: number }): void;
}

export type MakePredictor = (setup: PolicySetup) => Predictor;

/** Knows nothing about any change: both outcomes are equally likely. */
export const evenOdds: MakePredictor = () => ({ chanceOf: () => 0.5, learn: () => {} });

// Keeps these draws apart from the world's own, which have their stream second.
const accuracyStream = 101;

/**
 * A model trained elsewhere, of which only its quality matters: it calls each change good or bad by itself, and is
 * right in this share of the cases, whatever it says. Its chances are calibrated: what it calls bad is so as often as
 * it says. How often two changes that may conflict do is learned as it goes.
 */
export function accurateIn(share: number): MakePredictor {
  return ({ changes, truth }) => {
    const nobody = new Set<number>();
    const isGood = (change: Change): boolean => truth.isGreen(nobody, [change.number]);
    const good = changes.filter(isGood).length / Math.max(1, changes.length);
    const saidGood = good * share + (1 - good) * (1 - share);
    const chanceIfSaidGood = (good * share) / saidGood;
    const chanceIfSaidBad = (good * (1 - share)) / (1 - saidGood);
    const saysGood = (change: Change): boolean =>
      isGood(change) === draw(change.number, accuracyStream, change.author) < share;
    const conflicts = { seen: 1, met: 30 };
    return {
      chanceOf: (change, behind) =>
        (saysGood(change) ? chanceIfSaidGood : chanceIfSaidBad) * (1 - conflicts.seen / conflicts.met) ** behind,
      learn(change, { hasLanded, behind }) {
        if (!saysGood(change)) return;
        conflicts.met += behind;
        if (!hasLanded && behind > 0) conflicts.seen += 1;
      },
    };
  };
}

/** Predicts from the queue's own history, by the same rule as the product. */
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
export function clamped(probability: number): number {
  return Math.min(0.999, Math.max(0.001, probability));
}
