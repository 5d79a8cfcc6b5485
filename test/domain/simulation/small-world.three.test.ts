// Beside small-world.test.ts, so that both cores explore.
import { expect, it } from 'vitest';
import { cases } from '../../support/tier.ts';
import { exploreAll, type SmallWorld } from './small-world.ts';
import { speculative, patienceMs, worldOfSpeculation } from './small-world.worlds.ts';

const onThree = { ...worldOfSpeculation, targets: [['a'], ['a'], ['a']] } as const;

const largeWorlds: readonly [string, SmallWorld][] = [
  ['three that are unlikely to land from the start', { ...onThree, rules: speculative, successProbability: 0.7 }],
  [
    'three that may affect anything',
    { ...onThree, targets: [null, null, null], rules: { ...speculative, maxParallelBuilds: null } },
  ],
  ['three that may affect anything, two at a time', { ...onThree, targets: [null, null, null], rules: speculative }],
  [
    'three that arrive unlikely to land',
    { ...onThree, rules: speculative, arrive: 'any time', successProbability: 0.7 },
  ],
];

const worlds: readonly [string, SmallWorld][] = [
  ['three that all overlap, two at a time', { ...onThree, rules: speculative }],
  ['three of which only neighbours overlap', { ...onThree, targets: [['a'], ['a', 'b'], ['b']], rules: speculative }],
  ['three that arrive at any time', { ...onThree, rules: speculative, arrive: 'any time' }],
  ['three of which any may conflict', { ...onThree, rules: speculative, mayConflict: true }],
];

it.each(cases({ standard: worlds, full: largeWorlds }))(
  'every history of speculative builds on %s keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  patienceMs,
);
