import { describe, expect, it } from 'vitest';
import { buildsOf, staysOf, type LogEntry, type PastBatch } from '../../../src/domain/simulation/history.ts';
import { observe, replay } from '../../../src/domain/simulation/replay.ts';
import { workloadOf } from '../../../src/domain/simulation/workload.ts';
import { parallel } from '../queue/situation.ts';
import { pastOf, type Days } from './past.ts';

const never = () => 0;

function entry(action: LogEntry['action'], pullRequest: string, at: number, code: number | null = null): LogEntry {
  return { action, pullRequest, at, code, author: 'ada', skipLine: false, targets: null };
}

function batch(id: string, members: readonly string[], more: Partial<PastBatch> = {}): PastBatch {
  return {
    id,
    members,
    assumes: [],
    parent: null,
    isBuilt: true,
    startedAt: 0,
    endedAt: 10,
    verdict: 'green',
    ...more,
  };
}

describe('a stay in the line, from events,', () => {
  const arrived = entry('queued', 'a', 1);
  it.each([
    ['merged', [arrived, entry('merged', 'a', 5)], { at: 5, as: 'landed' }],
    ['blocked for a failed check', [arrived, entry('blocked', 'a', 5, 107)], { at: 5, as: 'failed' }],
    ['blocked for a build out of time', [arrived, entry('blocked', 'a', 5, 111)], { at: 5, as: 'failed' }],
    ['blocked for a conflict', [arrived, entry('blocked', 'a', 5, 106)], { at: 5, as: 'left' }],
    ['dequeued', [arrived, entry('dequeued', 'a', 5, 104)], { at: 5, as: 'left' }],
    ['still in line', [arrived], null],
    [
      'queued again while in line',
      [arrived, entry('queued', 'a', 3), entry('merged', 'a', 5)],
      { at: 5, as: 'landed' },
    ],
  ] as const)('%s', (_, log, end) => {
    expect(staysOf(log)).toEqual([expect.objectContaining({ pullRequest: 'a', arrivedAt: 1, end })]);
  });

  it('is one of two for a pull request that was queued twice, and is left out without an arrival', () => {
    const log = [entry('merged', 'b', 0), arrived, entry('blocked', 'a', 2, 107), entry('queued', 'a', 3)];
    expect(staysOf(log).map(({ arrivedAt, end }) => [arrivedAt, end?.as ?? null])).toEqual([
      [1, 'failed'],
      [3, null],
    ]);
  });
});

describe('a workload', () => {
  it('takes everything below a batch for its content', () => {
    const chain = [
      batch('1', ['a']),
      batch('2', ['b'], { parent: '1' }),
      batch('3', ['c'], { parent: '2', assumes: [] }),
    ];
    const speculative = batch('4', ['d'], { assumes: ['a', 'c'] });
    expect(buildsOf([...chain, speculative]).map(({ content }) => content)).toEqual([
      ['a'],
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'c', 'd'],
    ]);
  });

  it('gives each change its real result, and CI its real duration', () => {
    const log = [
      entry('queued', 'a', 1),
      entry('queued', 'b', 2),
      entry('blocked', 'b', 99, 107),
      entry('merged', 'a', 99),
    ];
    const builds = buildsOf([
      batch('1', ['a'], { startedAt: 1, endedAt: 31 }),
      batch('2', ['b'], { startedAt: 2, endedAt: 42, verdict: 'red' }),
    ]);
    const { truth, changes } = workloadOf({ stays: staysOf(log), builds });
    expect(changes.map(({ arrivedAt }) => arrivedAt)).toEqual([1, 2]);
    expect([[0], [1], [0, 1]].map((added) => truth.isGreen(new Set(), added))).toEqual([true, false, false]);
    const lasts = (members: readonly number[]) => truth.durationOf({ members, tree: 1, attempt: 0 });
    expect([lasts([0]), lasts([1]), lasts([0, 1])]).toEqual([30, 40, 40]);
  });

  it('counts a red build of a pull request that merged unchanged as a flake', () => {
    const log = ['a', 'b'].flatMap((id, n) => [entry('queued', id, n), entry('merged', id, 90 + n)]);
    const reds = [batch('1', ['a'], { verdict: 'red' }), batch('2', ['a']), batch('3', ['b']), batch('4', ['a', 'b'])];
    expect(workloadOf({ stays: staysOf(log), builds: buildsOf(reds) }).flakeRate).toBe(0.25);
  });

  it('says which assumptions the history leaves open', () => {
    const log = [
      ...['a', 'b', 'c', 'd'].map((id, n) => entry('queued', id, n)),
      entry('blocked', 'a', 9, 107),
      entry('merged', 'b', 9),
      entry('dequeued', 'c', 9),
    ];
    const { assumptions } = workloadOf({ stays: staysOf(log), builds: buildsOf([batch('1', ['a', 'b'])]) });
    expect(assumptions.slice(0, 4)).toEqual([
      'One pull request was blocked for a failed build, and never built alone. The simulation assumes a red build.',
      'One pull request was merged, and never built alone. The simulation assumes a green build.',
      'One pull request was still in line. The simulation assumes a green build.',
      'One pull request was taken out of the line by a user or because of a conflict, and not simulated.',
    ]);
  });
});

describe('a replay', () => {
  const rules = { ...parallel, maxParallelBuilds: 20, useOptimisticValidation: false };

  it.each<Days>([
    { seed: 1, count: 300, perHour: 20, failure: 0 },
    { seed: 2, count: 300, perHour: 40, failure: 0.05 },
    { seed: 3, count: 300, perHour: 60, failure: 0.1 },
    { seed: 4, count: 300, perHour: 40, failure: 0.05, flake: 0.03 },
    { seed: 5, count: 300, perHour: 40, failure: 0.05, drawnPer: 'build' },
  ])('under the rules of that time has nearly the waits of that time: %o', (days) => {
    const { run, log, batches } = pastOf(days, rules);
    const stays = staysOf(log);
    const seen = observe(stays, run.builds);
    const again = replay(workloadOf({ stays, builds: buildsOf(batches) }), { rules, spent: never });
    expect(again.landed + again.ejected).toBe(days.count);
    const near = days.flake === undefined && days.drawnPer === undefined ? 0.05 : 0.25;
    for (const share of ['p50', 'p90', 'p95'] as const) {
      const [was = 0, is = 0] = [seen.waits?.[share], again.waits?.[share]];
      expect(Math.abs(is - was) / was, `${share}: ${was} s then, ${is} s again`).toBeLessThan(near);
    }
    expect(Math.abs(again.landedPerHour - seen.landedPerHour) / seen.landedPerHour).toBeLessThan(near);
  });

  it('shows the cost of fewer builds at once', () => {
    const { log, batches } = pastOf({ seed: 6, count: 200, perHour: 30, failure: 0.03 }, rules);
    const workload = workloadOf({ stays: staysOf(log), builds: buildsOf(batches) });
    const [many, one] = [20, 1].map((maxParallelBuilds) =>
      replay(workload, { rules: { ...rules, maxParallelBuilds }, spent: never }),
    );
    expect(one?.waits?.p50).toBeGreaterThan(10 * (many?.waits?.p50 ?? Infinity));
    expect(one?.builds).toBeLessThanOrEqual(many?.builds ?? 0);
    expect(one?.red).toBe(0);
  });

  it('ends when its time is over, and says how far it got', () => {
    const { log, batches } = pastOf({ seed: 7, count: 100, perHour: 30, failure: 0 }, rules);
    const workload = workloadOf({ stays: staysOf(log), builds: buildsOf(batches) });
    let looks = 0;
    const part = replay(workload, { rules, spent: () => ((looks += 1) > 100 ? 1 : 0) });
    const whole = replay(workload, { rules, spent: never });
    expect(part.landed).toBeGreaterThan(0);
    expect(part.landed).toBeLessThan(whole.landed);
    expect(part.until).toBeLessThan(whole.until);
  });

  it('of an empty history is empty', () => {
    const nothing = replay(workloadOf({ stays: [], builds: [] }), { rules, spent: never });
    expect(nothing).toMatchObject({ waits: null, landed: 0, landedPerHour: 0, buildsPerLanding: null });
  });
});
