// What the days of histories contain.
import { expect, it } from 'vitest';
import { dayOf, drawPause, drawWindow, faultKinds, type Pace } from './days.ts';
import { drawsOf } from './draws.ts';

const dayMs = 24 * 3_600_000;
const days = Array.from({ length: 2_000 }, (_, seed) => dayOf(seed, 0));

it('draws the same day again for the same seed, and other days for others', () => {
  const contentOf = (seed: number, nth: number): string => {
    const { pace, has } = dayOf(seed, nth);
    return [pace, ...faultKinds.filter(has)].join(', ');
  };
  expect(contentOf(7, 3)).toBe(contentOf(7, 3));
  expect(new Set(Array.from({ length: 50 }, (_, nth) => contentOf(7, nth))).size).toBeGreaterThan(25);
});

it('has each pace and each kind of fault in some days, and leaves each kind out of others', () => {
  expect(new Set(days.map(({ pace }) => pace))).toEqual(new Set<Pace>(['quiet', 'usual', 'busy']));
  for (const kind of faultKinds) {
    const share = days.filter(({ has }) => has(kind)).length / days.length;
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.9);
  }
});

/** The steps and the windows without faults of a day, without the time that the windows take. */
function playThrough(pace: Pace, seed: number): { readonly steps: number; readonly windows: number } {
  const today = { pace, has: () => true };
  let windows = 0;
  let steps = 0;
  for (let at = 0; at < dayMs; steps += 1) {
    const draw = drawsOf(seed, steps);
    at += drawPause(today, draw);
    if (drawWindow(today, draw) !== null) windows += 1;
  }
  return { steps, windows };
}

it.each([
  ['quiet', 30, 80],
  ['usual', 80, 160],
  ['busy', 400, 1_200],
] as const)('has about one window without faults or more in a %s day', (pace, fewest, most) => {
  const played = Array.from({ length: 100 }, (_, seed) => playThrough(pace, seed));
  const mean = (of: (one: (typeof played)[number]) => number): number =>
    played.reduce((sum, one) => sum + of(one), 0) / played.length;
  expect(mean(({ steps }) => steps)).toBeGreaterThan(fewest);
  expect(mean(({ steps }) => steps)).toBeLessThan(most);
  expect(mean(({ windows }) => windows)).toBeGreaterThan(0.8);
});
