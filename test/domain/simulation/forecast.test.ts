import { fc, seed as fcSeed } from '../../support/properties.ts';
import { describe, expect, it, test } from 'vitest';
import { afterRuns } from '../../../bench/simulator/calibration.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { buildStatisticsOf, type BuildStatistics } from '../../../src/domain/simulation/build-statistics.ts';
import { forecast, type Eta } from '../../../src/domain/simulation/forecast.ts';
import { sortAscending } from '../../../src/domain/simulation/quantile.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';
import { examples } from '../../support/tier.ts';
import { histories, runHistory } from '../queue/history.ts';
import { minute, now, parallel, pr, situation } from '../queue/situation.ts';

const rules = { ...parallel, maxParallelBuilds: 20 };

/** Statistics of builds of earlier pull requests, with these durations, each equally often. */
function statisticsOf(minutes: readonly number[], flakeRate: number): BuildStatistics {
  const builds = Array.from({ length: 100 }, (_, place) => ({
    members: [`gone ${place}`],
    startedAt: now - (place + 1) * minute,
    hasEnded: true,
    lastedMs: (minutes[place % minutes.length] ?? 0) * minute,
  }));
  const statistics = buildStatisticsOf(builds, { now, line: [], flakeRate });
  if (statistics === null) throw new Error('Builds have ended.');
  return { ...statistics, arrivalsPerHour: 0 };
}

test(`a line can be simulated from every state to its end (FC_SEED=${fcSeed})`, () => {
  const statistics = { ...statisticsOf([10, 20], 0.02), arrivalsPerHour: 4 };
  const numRuns = examples({ standard: 10, full: 60 });
  let estimates = 0;
  fc.assert(
    fc.property(histories, (history) => {
      runHistory(history, (snapshot, at) => {
        if (draw(snapshot.pullRequests.length, at) > 0.2) return;
        const { etas } = forecast(snapshot, at, { statistics, isOver: () => true });
        expect([...etas.keys()].sort()).toEqual(snapshot.pullRequests.map(({ id }) => id).sort());
        expect([...etas.values()], 'everybody leaves the line').not.toContain('too_far_back');
        for (const eta of etas.values()) {
          if (typeof eta === 'string') continue;
          estimates += 1;
          expect(eta.p50).toBeGreaterThanOrEqual(at);
          expect(eta.p90).toBeGreaterThanOrEqual(eta.p50);
        }
      });
    }),
    { numRuns },
  );
  expect(estimates).toBeGreaterThan(numRuns);
});

describe('a forecast', () => {
  const statistics = statisticsOf([10, 20, 30], 0);
  const ask = (snapshot: Snapshot, known: BuildStatistics | null = statistics) =>
    forecast(snapshot, now, { statistics: known, isOver: afterRuns(49) });
  const minutesOf = (eta: Eta | string | undefined): number[] =>
    typeof eta === 'object' ? [(eta.p50 - now) / minute, (eta.p90 - now) / minute] : [];

  it('is the duration of a build, if nothing is before the pull request', () => {
    const alone = situation({ rules, waiting: [pr(1)] });
    const [p50 = 0, p90 = 0] = minutesOf(ask(alone).etas.get('p1'));
    expect(p50).toBeGreaterThan(15);
    expect(p50).toBeLessThan(25);
    expect(p90).toBeGreaterThanOrEqual(27);
    expect(p90).toBeLessThan(40);
  });

  it('subtracts the time that a running build has taken already', () => {
    const line = situation({
      rules,
      line: [{ of: [1], build: 'pending', change: { createdAt: now - 15 * minute } }],
    });
    const [p50 = 0, p90 = 0] = minutesOf(ask(line).etas.get('p1'));
    expect(p50).toBeGreaterThan(2);
    expect(p50).toBeLessThan(16);
    expect(p90).toBeGreaterThanOrEqual(12);
    expect(p90).toBeLessThan(25);
  });

  it('lets no pull request land before an earlier one', () => {
    const line = situation({ rules, waiting: [1, 2, 3, 4, 5].map((number) => pr(number)) });
    const instants = [...ask(line).etas.values()].map((eta) => (typeof eta === 'object' ? eta.p50 : 0));
    expect(instants).toEqual(sortAscending(instants));
  });

  it.each([
    ['halted', { haltedReason: 'an unknown commit' }],
    ['paused', { paused: true }],
    ['no_window', { landingsFrom: Infinity }],
  ] as const)('is none while the queue is %s', (reason, queue) => {
    const line = situation({ rules, waiting: [pr(1)] });
    expect([...ask({ ...line, queue: { ...line.queue, ...queue } }).etas]).toEqual([['p1', reason]]);
  });

  it('has no time if no build has ended, or if the pull request will probably fail', () => {
    const line = situation({ rules, waiting: [pr(1), pr(2, { successProbability: 0.1 })] });
    expect(ask(line, null).etas.get('p1')).toBe('no_build_history');
    expect(ask(line).etas.get('p2')).toBe('likely_to_fail');
  });

  it('uses the results of second builds so far, as the planner does', () => {
    const red = { of: [1], build: 'failure', change: { sideBuild: 'speculative' } } as const;
    const seen = situation({ rules: { ...rules, speculation: 'adaptive' }, line: [red] });
    const line = { ...seen, pullRequests: seen.pullRequests.map((row) => ({ ...row, successProbability: 0.99 })) };
    const lying = { ...statistics, flakeRate: 0.3 };
    expect(ask(line, lying).etas.get('p1')).toBeTypeOf('object');
    const { etas } = ask({ ...line, secondTries: { passed: 0, judged: 20 } }, lying);
    expect(etas.get('p1')).toBe('likely_to_fail');
  });

  it('is not before the merge window', () => {
    const line = situation({ rules, waiting: [pr(1)] });
    const opensAt = now + 600 * minute;
    const { etas } = ask({ ...line, queue: { ...line.queue, landingsFrom: opensAt } });
    expect(etas.get('p1')).toEqual({ p50: opensAt, p90: opensAt });
  });

  it('exists only for the simulated part of a long line', () => {
    const line = situation({ rules, waiting: Array.from({ length: 110 }, (_, place) => pr(place + 1)) });
    const { etas } = forecast(line, now, { statistics, isOver: () => true });
    expect(typeof etas.get('p100')).toBe('object');
    expect(etas.get('p101')).toBe('too_far_back');
  });
});
