import { fc, seed as fcSeed } from '../../support/properties.ts';
import { describe, expect, it, test } from 'vitest';
import type { QueueRules, Snapshot } from '../../../src/domain/queue/snapshot.ts';
import { simulate } from '../../../src/domain/simulation/engine.ts';
import { forecast, type Eta } from '../../../src/domain/simulation/forecast.ts';
import type { Experience } from '../../../src/domain/simulation/guess.ts';
import { plannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import { rising } from '../../../src/domain/simulation/quantile.ts';
import { draw } from '../../../src/domain/simulation/randomness.ts';
import { histories, runHistory } from '../queue/history.ts';
import { now, parallel, pr, situation } from '../queue/situation.ts';
import { arrivals, minute, pastOf, worldOf, type Days } from './past.ts';

const rules = { ...parallel, maxParallelBuilds: 20 };

interface Told {
  readonly eta: Eta;
  readonly landedAt: number;
}

/** What was told at moments of some simulated days, and what became of it. Builds of other days are the experience. */
function tell(days: Days, under: QueueRules): Told[] {
  const { batches } = pastOf({ ...days, seed: days.seed + 1000 }, under);
  const durations = batches.flatMap(({ startedAt, endedAt }) => (endedAt === null ? [] : [endedAt - startedAt]));
  const experience: Experience = { durationsMs: rising(durations), flakeRate: days.flake ?? 0 };
  const moments: { readonly snapshot: Snapshot; readonly now: number }[] = [];
  let plans = 0;
  let at = 0;
  const run = simulate({ workers: Infinity, changes: arrivals(days), truth: worldOf(days) }, () => {
    const policy = plannerPolicy({
      rules: under,
      onPlan: (snapshot) => {
        plans += 1;
        if (plans % 31 === 0) moments.push({ snapshot, now: at });
      },
    });
    return {
      decide(queue, desk) {
        at = queue.now;
        policy.decide(queue, desk);
      },
    };
  });
  const landedAt = new Map(
    run.outcomes.flatMap(({ change, at, kind }) => (kind === 'landed' ? [[`p${change.number}`, at]] : [])),
  );
  return moments.flatMap(({ snapshot, now: asked }) => {
    const { etas } = forecast(snapshot, asked, { experience, isOver: afterRuns(19) });
    return [...etas].flatMap(([id, eta]) => {
      const landed = landedAt.get(id);
      return landed === undefined || typeof eta === 'string' ? [] : [{ eta, landedAt: landed }];
    });
  });
}

/** Is asked once before each run. */
function afterRuns(most: number): () => boolean {
  let runs = 0;
  return () => {
    runs += 1;
    return runs > most;
  };
}

// Tolerance: of several hundred landings told of, many at once, 80 to 97 of 100 came before their p90.
describe('forecasts are calibrated', () => {
  it.each([
    { name: 'a quiet queue', days: { count: 200, perHour: 6, failure: 0.05 }, under: rules },
    { name: 'a busy one', days: { count: 60, perHour: 30, failure: 0.08 }, under: rules },
    {
      name: 'one whose builds last as they like',
      days: { count: 100, perHour: 20, failure: 0.05, drawnPer: 'build' },
      under: rules,
    },
    { name: 'one with flakes', days: { count: 100, perHour: 20, failure: 0.05, flake: 0.04 }, under: rules },
    {
      name: 'one that bets, with affected targets',
      days: { count: 100, perHour: 20, failure: 0.05, targets: 3 },
      under: { ...rules, speculation: 'adaptive', useAffectedTargets: true },
    },
    {
      name: 'one of few builds, in batches',
      days: { count: 100, perHour: 20, failure: 0.04 },
      under: { ...rules, maxParallelBuilds: 2, batchSize: 4 },
    },
  ] as const)('in $name', ({ days, under }) => {
    const told = [1, 2, 3, 4, 5, 6].flatMap((seed) => tell({ seed, ...days }, under));
    expect(told.length).toBeGreaterThan(100);
    const before = (which: keyof Eta) =>
      told.filter(({ eta, landedAt }) => landedAt <= eta[which]).length / told.length;
    expect(before('p90')).toBeGreaterThanOrEqual(0.8);
    expect(before('p90')).toBeLessThanOrEqual(0.97);
    expect(before('p50')).toBeGreaterThan(0.35);
    expect(before('p50')).toBeLessThan(0.75);
  });
});

test(`a line is played on from wherever it stands to its end (FC_SEED=${fcSeed})`, { timeout: 120_000 }, () => {
  const experience: Experience = { durationsMs: [10 * minute, 20 * minute], flakeRate: 0.02 };
  let told = 0;
  fc.assert(
    fc.property(histories, (history) => {
      runHistory(history, (snapshot, at) => {
        if (draw(snapshot.pullRequests.length, at) > 0.2) return;
        const { etas } = forecast(snapshot, at, { experience, isOver: () => true });
        expect([...etas.keys()].sort()).toEqual(snapshot.pullRequests.map(({ id }) => id).sort());
        expect([...etas.values()], 'everybody leaves the line').not.toContain('too_far_back');
        for (const eta of etas.values()) {
          if (typeof eta === 'string') continue;
          told += 1;
          expect(eta.p50).toBeGreaterThanOrEqual(at);
          expect(eta.p90).toBeGreaterThanOrEqual(eta.p50);
        }
      });
    }),
    { numRuns: 150 },
  );
  expect(told).toBeGreaterThan(150);
});

describe('a forecast', () => {
  const experience: Experience = { durationsMs: [10, 20, 30].map((minutes) => minutes * minute), flakeRate: 0 };
  const ask = (snapshot: Snapshot, known: Experience | null = experience) =>
    forecast(snapshot, now, { experience: known, isOver: afterRuns(49) });
  const minutesOf = (eta: Eta | string | undefined) =>
    typeof eta === 'object' ? [(eta.p50 - now) / minute, (eta.p90 - now) / minute] : eta;

  it('is that of a build, where nothing is before it', () => {
    const alone = situation({ rules, waiting: [pr(1)] });
    expect(minutesOf(ask(alone).etas.get('p1'))).toEqual([20, 30]);
  });

  it('takes away what a running build has behind it', () => {
    const line = situation({
      rules,
      line: [{ of: [1], build: 'pending', change: { buildStartedAt: now - 15 * minute } }],
    });
    expect(minutesOf(ask(line).etas.get('p1'))).toEqual([expect.toBeOneOf([5, 15]), 15]);
  });

  it('knows that who is behind lands no earlier than who is before', () => {
    const line = situation({ rules, waiting: [1, 2, 3, 4, 5].map((number) => pr(number)) });
    const instants = [...ask(line).etas.values()].map((eta) => (typeof eta === 'object' ? eta.p50 : 0));
    expect(instants).toEqual(rising(instants));
  });

  it.each([
    ['halted', { haltedReason: 'an unknown commit' }],
    ['paused', { paused: true }],
    ['no_window', { landingsFrom: Infinity }],
  ] as const)('is none while the queue is %s', (reason, queue) => {
    const line = situation({ rules, waiting: [pr(1)] });
    expect([...ask({ ...line, queue: { ...line.queue, ...queue } }).etas]).toEqual([['p1', reason]]);
  });

  it('is none while no build has ended, and of one that most likely fails', () => {
    const line = situation({ rules, waiting: [pr(1), pr(2, { chance: 0.1 })] });
    expect(ask(line, null).etas.get('p1')).toBe('no_experience');
    expect(ask(line).etas.get('p2')).toBe('likely_to_fail');
  });

  it('goes by what second builds said so far, as the planner does', () => {
    const red = { of: [1], build: 'failure', change: { beside: 'bet' } } as const;
    const seen = situation({ rules: { ...rules, speculation: 'adaptive' }, line: [red] });
    const line = { ...seen, pullRequests: seen.pullRequests.map((row) => ({ ...row, chance: 0.99 })) };
    const lying = { ...experience, flakeRate: 0.3 };
    expect(ask(line, lying).etas.get('p1')).toBeTypeOf('object');
    const { etas } = ask({ ...line, secondTries: { passed: 0, judged: 20 } }, lying);
    expect(etas.get('p1')).toBe('likely_to_fail');
  });

  it('is not before the merge window opens', () => {
    const line = situation({ rules, waiting: [pr(1)] });
    const opensAt = now + 600 * minute;
    const { etas } = ask({ ...line, queue: { ...line.queue, landingsFrom: opensAt } });
    expect(etas.get('p1')).toEqual({ p50: opensAt, p90: opensAt });
  });

  it('reaches so far back as a line is played', () => {
    const line = situation({ rules, waiting: Array.from({ length: 110 }, (_, place) => pr(place + 1)) });
    const { etas } = forecast(line, now, { experience, isOver: () => true });
    expect(typeof etas.get('p100')).toBe('object');
    expect(etas.get('p101')).toBe('too_far_back');
  });
});
