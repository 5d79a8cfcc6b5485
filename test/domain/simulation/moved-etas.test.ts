import { expect, test } from 'vitest';
import { afterRuns } from '../../../bench/simulator/calibration.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { buildStatisticsOf, type BuildStatistics } from '../../../src/domain/simulation/build-statistics.ts';
import { findMovedEtas } from '../../../src/domain/simulation/moved-etas.ts';
import { minute, now, parallel, pr, situation } from '../queue/situation.ts';

const builds = [10, 20].map((minutes) => ({
  members: [`gone ${minutes}`],
  startedAt: now - 60 * minute,
  hasEnded: true,
  lastedMs: minutes * minute,
}));
const statistics = buildStatisticsOf(builds, { now, line: [], flakeRate: 0 });

/** Rules with one build at a time, of one pull request each. */
const rules = { ...parallel, maxParallelBuilds: 1, batchSize: 1 };
const line = situation({ rules, waiting: [1, 2, 3].map((number) => pr(number)) });
const withLine = (...numbers: number[]): Snapshot => ({ ...line, pullRequests: numbers.map((number) => pr(number)) });

function moves(after: Snapshot, before = line, known: BuildStatistics | null = statistics) {
  return findMovedEtas({ before, after }, now, { statistics: known, isOver: afterRuns(9) }).map((move) => ({
    number: move.number,
    before: typeof move.before === 'object' && move.before !== null ? 'known' : move.before,
    after: typeof move.after === 'object' && move.after !== null ? 'known' : move.after,
    isEarlier:
      move.before !== null &&
      move.after !== null &&
      typeof move.before === 'object' &&
      typeof move.after === 'object' &&
      move.after.p50 < move.before.p50,
  }));
}

test('a snapshot without a change moves no ETA', () => {
  expect(moves(line)).toEqual([]);
});

test('after a pull request leaves the line, those behind it land earlier, and no others', () => {
  expect(moves(withLine(1, 3))).toEqual([
    { number: 2, before: 'known', after: null, isEarlier: false },
    { number: 3, before: 'known', after: 'known', isEarlier: true },
  ]);
});

test('a pull request that joins the line gets an ETA', () => {
  expect(moves(line, withLine(1, 2))).toEqual([{ number: 3, before: null, after: 'known', isEarlier: false }]);
});

test('a pause removes every ETA, and its end restores them', () => {
  const paused = { ...line, queue: { ...line.queue, paused: true } };
  const gone = [1, 2, 3].map((number) => ({ number, before: 'known', after: 'paused', isEarlier: false }));
  expect(moves(paused)).toEqual(gone);
  expect(moves(line, paused)).toEqual(
    gone.map(({ number }) => ({ number, before: 'paused', after: 'known', isEarlier: false })),
  );
});

test('a freeze with an end makes all ETAs later', () => {
  const frozen = { ...line, queue: { ...line.queue, landingsFrom: now + 500 * minute } };
  expect(moves(frozen).map(({ number, isEarlier }) => [number, isEarlier])).toEqual([
    [1, false],
    [2, false],
    [3, false],
  ]);
});

test('while no build has ended, only pull requests that join or leave are reported', () => {
  expect(moves(withLine(1, 3), line, null)).toEqual([
    { number: 2, before: 'no_build_history', after: null, isEarlier: false },
  ]);
});
