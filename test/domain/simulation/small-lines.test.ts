// The best policy for small lines, which a search finds.
import { describe, expect, it } from 'vitest';
import { Optimum, type SmallLine } from '../../../bench/simulator/small-lines/optimum.ts';
import { drawSmallWorld, meanBuildMs, smallPolicies } from '../../../bench/simulator/small-lines/world.ts';
import { simulate } from '../../../src/domain/simulation/engine.ts';

const atOnce = { arrivals: Infinity } as const;

function costOf(line: SmallLine): number {
  const optimum = new Optimum(line);
  return optimum.choose(0, optimum.begin).cost;
}

/** The mean over many days of the sum of the waits of good changes, in mean times of a build. */
function simulated(line: SmallLine, policy: string, days: number): number {
  const optimum = new Optimum(line);
  let sum = 0;
  for (let seed = 1; seed <= days; seed += 1) {
    const run = simulate(drawSmallWorld(line, seed), smallPolicies[policy]?.(optimum) ?? fail);
    expect(run).toMatchObject({ red: 0, ejectedUnjustly: 0 });
    for (const { kind, at, change } of run.outcomes)
      if (kind === 'landed') sum += (at - change.arrivedAt) / meanBuildMs;
  }
  return sum / days;
}

function fail(): never {
  throw new Error('There is no such policy.');
}

describe('the best policy of a small line', () => {
  it('waits for one build if there is one change', () => {
    expect(costOf({ ...atOnce, failures: [0.2], workers: 3 })).toBeCloseTo(0.8);
  });

  it('lands certain changes with one build', () => {
    // The only worker builds both in one build. Each waits for this build, so their waits add up to two builds.
    expect(costOf({ ...atOnce, failures: [1e-9, 1e-9], workers: 1 })).toBeCloseTo(2);
  });

  it('builds two changes apart if one of them is probably bad', () => {
    const line = { ...atOnce, failures: [0.9, 1e-9], workers: 1 };
    const optimum = new Optimum(line);
    expect(optimum.choose(2, optimum.begin).trees).toEqual([0b10]);
    // The second change waits for one build. The first one is good in a tenth of the cases, and then waits for two.
    expect(costOf(line)).toBeCloseTo(1 + 0.1 * 2);
  });

  it('uses more workers if there are more, and then waits less', () => {
    const failures = [0.1, 0.2, 0.05];
    const costs = [1, 2, 3, 7].map((workers) => costOf({ ...atOnce, failures, workers }));
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(new Set(costs).size).toBe(4);
  });

  it('waits longer if it keeps the order and may build several trees at once', () => {
    const failures = [0.1, 0.2, 0.05, 0.3];
    for (const workers of [2, 4])
      expect(costOf({ ...atOnce, failures, workers, keepsOrder: true })).toBeGreaterThan(
        costOf({ ...atOnce, failures, workers }) * 1.02,
      );
  });

  it('lands a good change in order only after the one before it is decided', () => {
    const line = { ...atOnce, failures: [0.5, 1e-9], workers: 1 };
    const optimum = new Optimum({ ...line, keepsOrder: true });
    const onlySecondIsSure = optimum.after(optimum.begin, 0b10, true);
    expect(optimum.landedOf(2, onlySecondIsSure)).toBe(0);
    expect(optimum.landedOf(2, optimum.after(onlySecondIsSure, 0b01, false))).toBe(0b10);
    expect(new Optimum(line).landedOf(2, onlySecondIsSure)).toBe(0b10);
  });

  it.each([1, 2, 4])('waits on simulated days as long as the search says, with %i workers', (workers) => {
    const line = { failures: [0.2, 0.1, 0.3, 0.02, 0.15], workers, arrivals: 2 };
    const exact = costOf(line);
    expect(Math.abs(simulated(line, 'optimum', 2_000) / exact - 1)).toBeLessThan(0.05);
  });

  it.each(['interlock', 'submitqueue', 'one-at-a-time'])('has no longer mean wait than %s', (policy) => {
    const line = { ...atOnce, failures: [0.2, 0.1, 0.3, 0.02, 0.15], workers: 2 };
    expect(simulated(line, policy, 100)).toBeGreaterThan(costOf(line));
  });
});
