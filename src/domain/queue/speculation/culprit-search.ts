// Where a red batch is to be searched: by halves, in line order, so that what is before its first bad one lands. The red
// build stays, as evidence: what is left of it when its first half has landed is known to be red.
import { isFailure } from '../planning/failure.ts';
import type { Bet, Field } from './graph.ts';

/**
 * With adaptive speculation, and made of pull requests that were neither stacked nor bisected. The others are halved by
 * decision, and so are all where halvings are counted.
 */
export function isSearched({ view, line }: Field, { batch, members }: Bet): boolean {
  const { speculation, maxBisectionAttempts } = view.snapshot.rules;
  return (
    speculation === 'adaptive' &&
    maxBisectionAttempts === null &&
    batch.members.length > 1 &&
    members.every((place) => line[place]?.stack === null && line[place].bisection === null)
  );
}

/** Red batches that are to be searched. */
export function unexplained(field: Field): readonly Bet[] {
  const isDue = (bet: Bet): boolean => bet.members.length > 1 && isFailure(bet.verdict) && isSearched(field, bet);
  return field.bets.some(isDue) ? smallestReds(field).filter(isDue) : [];
}

/** Red builds whose fault is not among those of a smaller one. */
export function smallestReds({ bets }: Field): readonly Bet[] {
  const reds = bets.filter(({ verdict }) => isFailure(verdict));
  // One whose places are all among those of another is found by the first of them.
  const byFirst = Map.groupBy(reds, ({ pending }) => pending[0]);
  const isWithin = (other: Bet, { pending, holds }: Bet): boolean =>
    other.pending.length < pending.length && other.pending.every((place) => holds.has(place));
  return reds.filter((bet) => !bet.pending.some((place) => byFirst.get(place)?.some((other) => isWithin(other, bet))));
}

/** As `max_bisected_batch_size` allows. */
export function halve({ view }: Field, places: readonly number[]): readonly (readonly number[])[] {
  const size = Math.min(Math.ceil(places.length / 2), view.snapshot.rules.maxBisectedBatchSize ?? Infinity);
  return size === 0
    ? []
    : Array.from({ length: Math.ceil(places.length / size) }, (_, part) =>
        places.slice(part * size, (part + 1) * size),
      );
}
