// The planner where builds are short, against what batches cost at best; and nobody waits for ever anywhere.
import { expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { interlock } from '../../../bench/simulator/policies/interlock.ts';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import { drawDay } from '../../../bench/simulator/workload.ts';
import { simulate } from '../../../src/domain/simulation/engine.ts';
import { truthOf } from '../../../src/domain/simulation/ground-truth.ts';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { quantile, rising } from '../../../src/domain/simulation/quantile.ts';
import { draw, streams } from '../../../src/domain/simulation/randomness.ts';
import { cases } from '../../support/tier.ts';
import { minute } from './world.ts';
import { batchCosts } from '../../../src/domain/queue/speculation/batches.ts';

/** All at once and all overlapping, one build at a time, each bad by itself. */
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
  'with one build at a time and %d failures batches cost what they do at best, within 5 %%',
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
    // A dozen are built once more by themselves before one red build is taken for enough.
    const secondBuilds = mean(bad.map((some) => Math.min(12, some)));
    expect(mean(runs.map(({ builds }) => builds))).toBeLessThan(best * 1.05 + secondBuilds);
    for (const { red, ejectedUnjustly } of runs)
      expect({ red, ejectedUnjustly }).toEqual({ red: 0, ejectedUnjustly: 0 });
  },
);

/** All share a target and arrive one after the other; the first is bad, and a build of it takes four times as long. */
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

it('a bad or slow change behind which others land sooner is estimated so, however many come behind', () => {
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
)('nobody waits more than three times P99: %s', (cell) => {
  const { outcomes } = simulate(drawDay(parseCell(cell), { seed: 1, changes: 200 }), interlock);
  const waits = rising(outcomes.map(({ at, change }) => at - change.arrivedAt));
  expect(waits.at(-1)).toBeLessThanOrEqual(3 * (quantile(waits, 0.99) ?? 0));
});
