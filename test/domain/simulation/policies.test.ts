// The policies that the planner is compared with. All of them are safe, and known properties of single policies hold.
import { describe, expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { batches } from '../../../bench/simulator/policies/batches.ts';
import { earlyLanding } from '../../../bench/simulator/policies/early-landing.ts';
import { policies } from '../../../bench/simulator/policies/index.ts';
import { inOrderOracle } from '../../../bench/simulator/policies/in-order-oracle.ts';
import { oneAtATime } from '../../../bench/simulator/policies/one-at-a-time.ts';
import { optimistic } from '../../../bench/simulator/policies/optimistic.ts';
import { prefixWindow, prefixWindowOf } from '../../../bench/simulator/policies/prefix-window.ts';
import { reorderingBound } from '../../../bench/simulator/policies/reordering-bound.ts';
import { speculateAll } from '../../../bench/simulator/policies/speculate-all.ts';
import { submitQueueOpen } from '../../../bench/simulator/policies/submitqueue-open.ts';
import { submitQueue } from '../../../bench/simulator/policies/submitqueue.ts';
import { Window, zuulConflictGraph, zuulOneLane } from '../../../bench/simulator/policies/zuul.ts';
import { drawDay } from '../../../bench/simulator/workload.ts';
import { simulate, type Run } from '../../../src/domain/simulation/engine.ts';
import type { MakePolicy, PolicySetup } from '../../../src/domain/simulation/policy.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';
import { cases } from '../../support/tier.ts';
import { minute, run, sketch, endsOf } from './world.ts';

const others = Object.entries(policies).filter(([name]) => name !== 'interlock');

const days = new Map<string, PolicySetup>();

/** Draws each day once, for all policies. */
function smallDay({ cell, seed }: { readonly cell: string; readonly seed: number }): PolicySetup {
  const known = days.get(`${cell} ${seed}`);
  if (known !== undefined) return known;
  const day = drawDay(parseCell(cell), { seed, changes: 60 });
  days.set(`${cell} ${seed}`, day);
  return day;
}

function landedIn({ outcomes }: Run): Map<number, number> {
  return new Map(outcomes.flatMap(({ kind, change, at }) => (kind === 'landed' ? [[change.number, at] as const] : [])));
}

describe.each(others)('%s', (_, makePolicy) => {
  it('lands every good change and ejects every bad one', () => {
    const targets = ['a', 'b', 'a', 'ab', 'b', 'a', 'c', 'ac', 'a', 'b', 'a', 'c'].map((names) => names.split(''));
    const arrivals = targets.map((__, number) => number * 7);
    for (const workers of [1, 3, 100])
      for (const known of [targets, undefined]) {
        const outcome = run({ arrivals, bad: [2, 3, 9], workers, ...(known && { targets: known }) }, makePolicy);
        const landed = [...landedIn(outcome).keys()].sort((a, b) => a - b);
        expect(landed).toEqual([0, 1, 4, 5, 6, 7, 8, 10, 11]);
        expect(outcome).toMatchObject({ red: 0, ejectedUnjustly: 0 });
      }
  });

  it('keeps the mainline green if changes conflict semantically or fix each other, and if CI is flaky', () => {
    for (const cell of ['rate=60,workers=20,failure=0.15', 'rate=60,workers=40,overlap=1,failure=0.15,flake=0.05'])
      for (const seed of cases({ standard: [1], full: [2, 3] }))
        expect(simulate(smallDay({ cell, seed }), makePolicy).red).toBe(0);
  });
});

describe('a policy that keeps the order', () => {
  const inOrder: readonly [string, MakePolicy][] = [
    ['one at a time', oneAtATime],
    ['Zuul in one lane', zuulOneLane],
    ['Zuul on the conflict graph', zuulConflictGraph],
    ['optimistic', optimistic],
    ['speculate-all', speculateAll],
    ['SubmitQueue', submitQueue],
  ];
  it.each(inOrder)('lands no change sooner than the oracle: %s', (_, makePolicy) => {
    for (const seed of cases({ standard: [4], full: [5] })) {
      const cell = 'rate=60,workers=10000,overlap=0.5';
      const day = smallDay({ cell, seed });
      const soonest = landedIn(simulate(day, inOrderOracle));
      const landed = landedIn(simulate(day, makePolicy));
      const sooner = [...landed].filter(([change, at]) => at < (soonest.get(change) ?? 0));
      expect(sooner).toEqual([]);
    }
  });
});

it('the bound that may reorder lands no change later than the in-order oracle', () => {
  const day = smallDay({ cell: 'rate=60,workers=10000,overlap=0.72', seed: 4 });
  const bound = landedIn(simulate(day, reorderingBound));
  const oracle = landedIn(simulate(day, inOrderOracle));
  expect([...oracle].filter(([change, at]) => (bound.get(change) ?? at) > at)).toEqual([]);
});

it('speculate-all with enough workers equals the oracle, but builds every combination', () => {
  const day = smallDay({ cell: 'rate=20,workers=100000,overlap=0.3', seed: 6 });
  const all = simulate(day, speculateAll);
  expect(endsOf(all)).toEqual(endsOf(simulate(day, inOrderOracle)));
  const combinations = run({ arrivals: [0, 0, 0, 0] }, speculateAll).builds;
  expect(combinations).toBe(1 + 2 + 4 + 8);
});

it('a window of one equals one change at a time', () => {
  const day = smallDay({ cell: 'rate=2,workers=5,overlap=1,failure=0.15', seed: 7 });
  expect(endsOf(simulate(day, () => prefixWindowOf(1)))).toEqual(endsOf(simulate(day, oneAtATime)));
});

describe('a batch of all waiting changes', () => {
  it('needs one build for all of them, if none is bad', () => {
    expect(run({ arrivals: Array.from({ length: 32 }, () => 0) }, batches).builds).toBe(1);
  });

  it('finds one bad change of 2^k by two builds for each halving', () => {
    for (const bad of [0, 5, 15]) {
      const outcome = run({ arrivals: Array.from({ length: 16 }, () => 0), bad: [bad] }, batches);
      expect(outcome.builds).toBe(1 + 2 * 4);
      expect(landedIn(outcome).size).toBe(15);
    }
  });
});

describe('a window of prefixes', () => {
  // Landings in an hour by a published table, with 30-minute builds of which 10 % fail.
  it.each(
    cases<readonly [number, number]>({
      standard: [[6, 8.2]],
      full: [
        [5, 7.4],
        [7, 9.5],
      ],
    }),
  )('of %i lands %f changes an hour', (size, published) => {
    const changes = 6000;
    const bad = Array.from({ length: changes }, (_, number) => number).filter((number) => draw(11, number) < 0.1);
    const day = sketch({ arrivals: Array.from({ length: changes }, () => 0), bad });
    const { outcomes } = simulate(day, () => prefixWindowOf(size));
    const hours = (outcomes.at(-1)?.at ?? 0) / (60 * minute);
    const perHour = outcomes.filter(({ kind }) => kind === 'landed').length / hours;
    expect(Math.abs(perHour / published - 1)).toBeLessThan(0.05);
  });

  it('lands what a later prefix shows to be green, even if its own build was red', () => {
    // 1 needs 2 to be green.
    const pairs = [{ a: 1, b: 2, kind: 'fixed_by' as const }];
    const outcome = run({ arrivals: [0, 0, 0], bad: [1], pairs }, prefixWindow);
    expect(endsOf(outcome)).toEqual(['0 landed at 30', '1 landed at 30', '2 landed at 30']);
    expect(outcome.builds).toBe(3);
  });
});

describe('Zuul', () => {
  it('enlarges its window by one with each landing, and halves it with each failure, down to three', () => {
    const window = new Window();
    const sizes = [true, true, false, false, false, false, true].map((hasLanded) => {
      window.adjust(hasLanded);
      return window.size;
    });
    expect(sizes).toEqual([21, 22, 11, 5, 3, 3, 4]);
  });

  it('builds the changes behind a failing one without it before the failure is final', () => {
    const setup = sketch({ arrivals: [0, 0, 0], bad: [1] });
    const slow: PolicySetup = {
      ...setup,
      truth: { ...setup.truth, durationOf: ({ members }) => (members.includes(0) ? 60 : 30) * minute },
    };
    // Change 1 fails at 30. Change 2 is built again at once, and not when change 0 has landed.
    expect(endsOf(simulate(slow, zuulOneLane))).toEqual(['0 landed at 60', '1 ejected at 60', '2 landed at 60']);
  });

  it('builds a change again that was red on top of a bad one', () => {
    const pairs = [{ a: 0, b: 1, kind: 'semantic_conflict' as const }];
    const outcome = run({ arrivals: [0, 5, 5], bad: [0], pairs }, zuulOneLane);
    expect(endsOf(outcome)).toEqual(['0 ejected at 30', '1 landed at 60', '2 landed at 60']);
  });
});

describe('a policy that lets changes pass', () => {
  it.each([
    ['its open-source successor', submitQueueOpen],
    ['early landing', earlyLanding],
  ])('lands a short build before an earlier long one: %s', (_, makePolicy) => {
    const setup = sketch({ arrivals: [0, 1], workers: 3 });
    const slow: PolicySetup = {
      ...setup,
      truth: { ...setup.truth, durationOf: ({ members }) => (members.includes(0) ? 120 : 10) * minute },
    };
    const outcome = simulate(slow, makePolicy);
    expect(endsOf(outcome)[0]).toBe('1 landed at 11');
    expect(outcome.red).toBe(0);
    expect(landedIn(outcome).size).toBe(2);
  });
});
