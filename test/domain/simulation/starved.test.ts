// The planner with short builds, compared with the best cost of batches. Also the longest wait of any change.
import { expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { interlock } from '../../../bench/simulator/policies/interlock.ts';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import { drawDay } from '../../../bench/simulator/workload.ts';
import { simulate } from '../../../src/domain/simulation/engine.ts';
import { truthOf } from '../../../src/domain/simulation/ground-truth.ts';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { quantile, sortAscending } from '../../../src/domain/simulation/quantile.ts';
import { draw, streams } from '../../../src/domain/simulation/randomness.ts';
import { cases } from '../../support/tier.ts';
import { minute } from './world.ts';
import { batchCosts } from '../../../src/domain/queue/speculation/batches.ts';

/** All changes arrive at once and overlap, with one build at a time. Each is bad independently of the others. */
function flood(failure: number, count: number, seed: number): PolicySetup {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const bad = new Set(numbers.filter((number) => draw(seed, streams.outcome, number) < failure));
  const ci = { medianMs: 30 * minute, spread: 0, drawnPer: 'change' } as const;
  return {
    workers: 1,
    changes: numbers.map((number) => ({ number, arrivedAt: 0, author: 0, targets: null })),
    truth: truthOf({ seed, bad, pairs: [], flake: 0, ci }),
  };
}

const rules = { ...rulesOfPlanner, speculation: 'adaptive', maxParallelBuilds: 1, batchSize: 16 } as const;

it.each(cases({ standard: [0.05, 0.35], full: [0.02, 0.08, 0.15] }))(
  'with one build at a time and a failure rate of %d, batches cost at most 5 %% more than their best cost',
  (failure) => {
    const count = 300;
    const runs = [1, 2, 3].map((seed) =>
      simulate(flood(failure, count, seed), () =>
        plannerPolicy({ rules, rowOf: () => ({ successProbability: 1 - failure }) }),
      ),
    );
    const mean = (of: readonly number[]): number => of.reduce((sum, each) => sum + each, 0) / (of.length * count);
    const bad = runs.map(({ outcomes }) => outcomes.filter(({ kind }) => kind !== 'landed').length);
    const best = Math.min(...batchCosts({ failure: mean(bad), flake: 0 }, rules.batchSize));
    // About a dozen changes are built once more alone, before one red build counts as enough.
    const secondBuilds = mean(bad.map((some) => Math.min(12, some)));
    expect(mean(runs.map(({ builds }) => builds))).toBeLessThan(best * 1.05 + secondBuilds);
    for (const { red, ejectedUnjustly } of runs)
      expect({ red, ejectedUnjustly }).toEqual({ red: 0, ejectedUnjustly: 0 });
  },
);

/**
 * All changes share a target and arrive one after the other. The first is bad, and its build takes four times as long.
 */
function busy(count: number): PolicySetup {
  const isFirst = (members: readonly number[]): boolean => members.includes(0);
  return {
    workers: 100,
    changes: Array.from({ length: count }, (_, number) => ({
      ...{ number, author: number, targets: ['busy'] },
      arrivedAt: number * 10 * minute,
    })),
    truth: {
      isGreen: (_, added) => !isFirst(added),
      durationOf: ({ members }) => (isFirst(members) ? 60 : 15) * minute,
      isFlake: () => false,
    },
  };
}

it('the ETA of a bad or slow change shows that others land before it, however many arrive behind it', () => {
  const toldAfter = (count: number): number => {
    const { outcomes } = simulate(busy(count), () =>
      plannerPolicy({ rules: { ...rules, maxParallelBuilds: 100, batchSize: 1, useAffectedTargets: true } }),
    );
    return outcomes.findIndex(({ change, kind }) => change.number === 0 && kind === 'ejected');
  };
  expect(toldAfter(30)).toBeGreaterThan(3);
  expect(toldAfter(60)).toBe(toldAfter(30));
});

it.each(
  cases({
    standard: ['rate=100,workers=10', 'rate=60,workers=60,burst=3,flake=0.05'],
    full: [
      'rate=100,workers=100,overlap=0.72,median=10',
      'rate=100,workers=50,zipf=1.1',
      'rate=20,workers=20,overlap=1',
    ],
  }),
)('no change waits longer than three times P99: %s', (cell) => {
  const { outcomes } = simulate(drawDay(parseCell(cell), { seed: 1, changes: 200 }), interlock);
  const waits = sortAscending(outcomes.map(({ at, change }) => at - change.arrivedAt));
  expect(waits.at(-1)).toBeLessThanOrEqual(3 * (quantile(waits, 0.99) ?? 0));
});
