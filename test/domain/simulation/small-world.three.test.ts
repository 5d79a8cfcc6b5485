// Beside small-world.test.ts, so that both cores explore.
import { expect, it } from 'vitest';
import { cases } from '../../support/tier.ts';
import { exploreAll, type SmallWorld } from './small-world.ts';
import { bets, patienceMs, worldOfBets } from './small-world.worlds.ts';

const onThree = { ...worldOfBets, targets: [['a'], ['a'], ['a']] } as const;

const largeWorlds: readonly [string, SmallWorld][] = [
  [
    'three that may affect anything',
    { ...onThree, targets: [null, null, null], rules: { ...bets, maxParallelBuilds: null } },
  ],
];

const worlds: readonly [string, SmallWorld][] = [
  ['three that may affect anything, two at a time', { ...onThree, targets: [null, null, null], rules: bets }],
  ['three that all overlap, two at a time', { ...onThree, rules: bets }],
  ['three of which only neighbours overlap', { ...onThree, targets: [['a'], ['a', 'b'], ['b']], rules: bets }],
  ['three that are in doubt from the start', { ...onThree, rules: bets, chance: 0.7 }],
  ['three that arrive in doubt', { ...onThree, rules: bets, arrive: 'any time', chance: 0.7 }],
  ['three that arrive at any time', { ...onThree, rules: bets, arrive: 'any time' }],
  ['three of which any may conflict', { ...onThree, rules: bets, mayConflict: true }],
];

it.each(cases({ standard: worlds, full: largeWorlds }))(
  'every history of bets on %s keeps every invariant',
  (_, world) => {
    const visited = exploreAll(world);
    expect(visited.landed).toBeGreaterThan(0);
    expect(visited.ejected).toBeGreaterThan(0);
  },
  patienceMs,
);
