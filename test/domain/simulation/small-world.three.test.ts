// Like small-world.test.ts, with three pull requests. A separate file, so that two processes can explore at once.
import { expect, it } from 'vitest';
import { cases } from '../../support/tier.ts';
import { exploreAll, type SmallWorld } from './small-world.ts';
import { speculative, testTimeoutMs, worldOfSpeculation } from './small-world.worlds.ts';

const onThree = { ...worldOfSpeculation, targets: [['a'], ['a'], ['a']] } as const;

const largeWorlds: readonly [string, SmallWorld][] = [
  ['three pull requests that are unlikely to succeed', { ...onThree, rules: speculative, successProbability: 0.7 }],
  [
    'three pull requests with unknown targets, and no limit of builds',
    { ...onThree, targets: [null, null, null], rules: { ...speculative, maxParallelBuilds: null } },
  ],
  ['three pull requests with unknown targets', { ...onThree, targets: [null, null, null], rules: speculative }],
  [
    'three pull requests that arrive at any time and are unlikely to succeed',
    { ...onThree, rules: speculative, arrive: 'any time', successProbability: 0.7 },
  ],
];

const worlds: readonly [string, SmallWorld][] = [
  ['three pull requests that all overlap', { ...onThree, rules: speculative }],
  [
    'three pull requests of which only neighbours in line overlap',
    { ...onThree, targets: [['a'], ['a', 'b'], ['b']], rules: speculative },
  ],
  ['three pull requests that arrive at any time', { ...onThree, rules: speculative, arrive: 'any time' }],
  [
    'three pull requests of which each may have a merge conflict',
    { ...onThree, rules: speculative, mayConflict: true },
  ],
];

it.each(cases({ standard: worlds, full: largeWorlds }))(
  'every history of %s, with speculative builds, keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  testTimeoutMs,
);
