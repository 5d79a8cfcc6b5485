import { expect, it } from 'vitest';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import { cases } from '../../support/tier.ts';
import { exploreAll, type SmallWorld } from './small-world.ts';
import { speculative, patienceMs, usual, worldOfSpeculation as onFour } from './small-world.worlds.ts';

function linear(batchSize: number, rules: Partial<QueueRules> = {}): QueueRules {
  return { ...rulesOfPlanner, batchSize, ...rules };
}

const worlds: readonly [string, SmallWorld][] = [
  ['one by one', { ...usual, rules: linear(1) }],
  ['where a later green build proves nothing', { ...usual, rules: linear(1, { useOptimisticValidation: false }) }],
  ['where one red build is none', { ...usual, rules: linear(1, { maxRequeueAttempts: 1 }), redsToBlame: 2 }],
  ['in batches of two', { ...usual, rules: linear(2) }],
  ['in batches of three', { ...usual, rules: linear(3) }],
  ['in batches of four', { ...usual, rules: linear(4) }],
  [
    'in batches of four, bisected beside the line',
    { ...usual, rules: linear(4, { useParallelBisection: true }), places: 'lost' },
  ],
  ['arriving at any time', { ...usual, rules: linear(2), arrive: 'any time' }],
  ['of which any may conflict', { ...usual, rules: linear(1), mayConflict: true }],
  ['in batches of two of which any may conflict', { ...usual, rules: linear(2), mayConflict: true }],
];

const largeSpeculativeWorlds: readonly [string, SmallWorld][] = [
  ['four that may affect anything, two at a time', { ...onFour, rules: speculative }],
  [
    'four of which two and two overlap, in linear batches of two',
    {
      ...onFour,
      targets: [['a'], ['b'], ['a'], ['b']],
      rules: { ...speculative, speculation: 'linear', batchSize: 2 },
    },
  ],
];

const speculativeWorlds: readonly [string, SmallWorld][] = [
  // Who lets others pass makes too many orders of four for two builds at a time, and of three for more.
  [
    'four that all overlap, one at a time',
    { ...onFour, targets: [['a'], ['a'], ['a'], ['a']], rules: { ...speculative, maxParallelBuilds: 1 } },
  ],
  ['four of which none overlap', { ...onFour, targets: [['a'], ['b'], ['c'], ['d']], rules: speculative }],
  [
    'four, several in a speculative build',
    { ...onFour, rules: { ...speculative, batchSize: 4, maxParallelBuilds: 1 } },
  ],
];

it.each(cases({ standard: speculativeWorlds, full: largeSpeculativeWorlds }))(
  'every history of speculative builds on %s keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  patienceMs,
);

it.each(worlds)(
  'every history of four pull requests, %s, keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  patienceMs,
);

it('says by which way an invariant was broken', () => {
  expect(() => exploreAll({ ...usual, rules: linear(1), redsToBlame: 2 })).toThrow(
    'After | 0 green, 0 | 1 green, 0 1 | 2 green, 0 1 2 | 3 red: 3 was red by itself',
  );
});
