import { expect, it } from 'vitest';
import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import { cases } from '../../support/tier.ts';
import { exploreAll, type SmallWorld } from './small-world.ts';
import { speculative, testTimeoutMs, usual, worldOfSpeculation as onFour } from './small-world.worlds.ts';

function linear(batchSize: number, rules: Partial<QueueRules> = {}): QueueRules {
  return { ...rulesOfPlanner, batchSize, ...rules };
}

const worlds: readonly [string, SmallWorld][] = [
  ['tested one by one', { ...usual, rules: linear(1) }],
  [
    'tested one by one, without later green builds as evidence',
    { ...usual, rules: linear(1, { useOptimisticValidation: false }) },
  ],
  [
    'tested one by one, with two red builds for a failure',
    { ...usual, rules: linear(1, { maxRequeueAttempts: 1 }), redsToBlame: 2 },
  ],
  ['in batches of two', { ...usual, rules: linear(2) }],
  ['in batches of three', { ...usual, rules: linear(3) }],
  ['in batches of four', { ...usual, rules: linear(4) }],
  [
    'in batches of four, with side builds for bisection',
    { ...usual, rules: linear(4, { useParallelBisection: true }), places: 'lost' },
  ],
  ['arriving at any time', { ...usual, rules: linear(2), arrive: 'any time' }],
  ['which may have merge conflicts', { ...usual, rules: linear(1), mayConflict: true }],
  ['in batches of two, which may have merge conflicts', { ...usual, rules: linear(2), mayConflict: true }],
];

const largeSpeculativeWorlds: readonly [string, SmallWorld][] = [
  ['four pull requests with unknown targets, two builds at a time', { ...onFour, rules: speculative }],
  [
    'four pull requests that overlap in pairs, in linear batches of two',
    {
      ...onFour,
      targets: [['a'], ['b'], ['a'], ['b']],
      rules: { ...speculative, speculation: 'linear', batchSize: 2 },
    },
  ],
];

const speculativeWorlds: readonly [string, SmallWorld][] = [
  // Reordering makes too many orders of four pull requests with two builds at a time, and of three with more builds.
  [
    'four pull requests that all overlap, one build at a time',
    { ...onFour, targets: [['a'], ['a'], ['a'], ['a']], rules: { ...speculative, maxParallelBuilds: 1 } },
  ],
  [
    'four pull requests of which none overlap',
    { ...onFour, targets: [['a'], ['b'], ['c'], ['d']], rules: speculative },
  ],
  [
    'four pull requests, several in one speculative build',
    { ...onFour, rules: { ...speculative, batchSize: 4, maxParallelBuilds: 1 } },
  ],
];

it.each(cases({ standard: speculativeWorlds, full: largeSpeculativeWorlds }))(
  'every history of %s, with speculative builds, keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

it.each(worlds)(
  'every history of four pull requests, %s, keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  testTimeoutMs,
);

it('an error names the steps that broke an invariant', () => {
  expect(() => exploreAll({ ...usual, rules: linear(1), redsToBlame: 2 })).toThrow(
    'After | 0 green, 0 | 1 green, 0 1 | 2 green, 0 1 2 | 3 red: 3 was red by itself',
  );
});
