// Random choices of a simulation. Each step draws from a stream of its own, so a step that is left out changes no other
// draw.
import { seeded } from '../support/random.ts';

export interface Draws {
  /** At least 0 and less than 1. */
  readonly real: () => number;
  /** A whole number, at least 0 and less than `below`. */
  readonly below: (below: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  readonly weighted: <T>(from: readonly (readonly [weight: number, value: T])[]) => T;
  readonly chance: (probability: number) => boolean;
}

export function drawsOf(seed: number, step: number): Draws {
  // Neighbouring seeds must give different streams.
  const real = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
  real();
  const below = (most: number): number => Math.floor(real() * most);
  return {
    real,
    below,
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
    weighted: (from) => {
      let left = real() * from.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of from) {
        left -= weight;
        if (left < 0) return value;
      }
      throw new Error('There is nothing to pick from.');
    },
    chance: (probability) => real() < probability,
  };
}
