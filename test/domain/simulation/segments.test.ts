import { fc } from '../../support/properties.ts';
import { expect, it } from 'vitest';
import { compare } from '../../../src/domain/simulation/comparison.ts';
import { buildsOf, staysOf } from '../../../src/domain/simulation/history.ts';
import { replay } from '../../../src/domain/simulation/replay.ts';
import { segmentsOf } from '../../../src/domain/simulation/segments.ts';
import { workloadOf } from '../../../src/domain/simulation/workload.ts';
import { parallel } from '../queue/situation.ts';
import { minute, pastOf } from './past.ts';

const rules = { ...parallel, maxParallelBuilds: 40 };
const past = pastOf({ seed: 3, count: 1200, perHour: 30, failure: 0.05, targets: 20 }, rules);
const workload = workloadOf({ stays: staysOf(past.log), builds: buildsOf(past.batches) });

/** A clock whose time is over after `looks` reads. The replay reads it once for each simulated instant. */
function countingClock(looks: number): () => number {
  let looked = -1;
  return () => Math.min(1, (looked += 1) / looks);
}

it('a history that is too long for the time is replayed in segments, whose waits are close to the waits of a complete replay', () => {
  const whole = replay(workload, { rules, spent: () => 0 });
  const part = replay(workload, { rules, spent: countingClock(1500) });
  expect(whole).toMatchObject({ simulated: 1200, segments: 1, red: 0 });
  expect(part.segments).toBeGreaterThan(1);
  expect(part.simulated).toBeLessThan(800);
  expect(part.simulated).toBeGreaterThan(100);
  expect(Math.abs((part.waits?.p50 ?? 0) / (whole.waits?.p50 ?? 1) - 1)).toBeLessThan(0.15);
  expect(Math.abs(part.builds / whole.builds - 1)).toBeLessThan(0.15);
  expect(Math.abs(part.landedPerHour / whole.landedPerHour - 1)).toBeLessThan(0.05);
  expect(Math.abs(part.landed + part.ejected - 1200)).toBeLessThanOrEqual(1);
});

it('a history that fits into the time is replayed completely, and of a longer one at least one segment is replayed', () => {
  expect(replay(workload, { rules, spent: countingClock(100_000) })).toEqual(
    replay(workload, { rules, spent: () => 0 }),
  );
  const short = replay(workload, { rules, spent: countingClock(30) });
  expect(short.segments).toBe(1);
  expect(short.simulated).toBeLessThan(1200);
});

it.each([
  ['the whole history', () => 0],
  ['segments', countingClock(1500)],
])('a replay of %s reports a progress that never decreases', (_how, spent) => {
  const shares: number[] = [];
  replay(workload, { rules, spent, onProgress: (share) => shares.push(share) });
  expect(shares.length).toBeGreaterThan(10);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares[0]).toBeLessThan(0.1);
  expect(shares.at(-1)).toBeGreaterThan(0.9);
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
});

it('each change is in at most one segment, and the first two segments lie in different halves of the history', () => {
  const [first, last] = [workload.changes[0]?.arrivedAt ?? 0, workload.changes.at(-1)?.arrivedAt ?? 0];
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (minutes) => {
      const all = [...segmentsOf({ ...workload, typicalBuildMs: minutes * minute })];
      const arrivals = all.flatMap((segment) => segment.workload.changes.map(({ arrivedAt }) => arrivedAt));
      expect(new Set(arrivals).size).toBe(arrivals.length);
      for (const segment of all) {
        expect(segment.workload.changes.map(({ number }) => number)).toEqual([...segment.workload.changes.keys()]);
        expect(segment.countedUntil - segment.countedFrom).toBeGreaterThanOrEqual(2 * minutes * minute);
      }
      const halves = all.slice(0, 2).map(({ countedFrom }) => countedFrom > (first + last) / 2 - 3_600_000);
      expect(halves).toEqual([false, true].slice(0, halves.length));
    }),
  );
});

it('the assumptions of a comparison say that the history was cut', () => {
  const { log, batches } = past;
  const assumptionsOf = (isCut: boolean) => compare({ log, batches, isCut }, { rules, spent: () => 1 }).assumptions;
  expect(assumptionsOf(true)).toEqual([
    'The history is too long to be read completely. Everything before `from` is left out.',
    ...assumptionsOf(false),
  ]);
});
