// `npm run chaos`: which faults a seed draws, and what the report says about them. The faults themselves are in
// test/e2e/chaos.full.test.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { faultKinds, planFaults, type FaultKind } from '../e2e/chaos-faults.ts';
import { reportOf, textOf, type Round } from '../e2e/chaos-report.ts';

describe('the faults of a seed', () => {
  test('are the same at every run, and other ones for another seed', () => {
    expect(planFaults(1, 50)).toEqual(planFaults(1, 50));
    expect(planFaults(1, 50)).not.toEqual(planFaults(2, 50));
    expect(planFaults(1, 50).slice(0, 20)).toEqual(planFaults(1, 100).slice(0, 20));
  });

  test('have as many kills as wanted, and faults of each other kind between them', () => {
    const plan = planFaults(1, 100);
    const count = (kind: FaultKind): number => plan.filter((fault) => fault.kind === kind).length;
    expect(count('kill')).toBe(100);
    expect(plan.at(-1)?.kind).toBe('kill');
    for (const kind of faultKinds) expect(count(kind)).toBeGreaterThan(0);
    for (const { offsetMs } of plan) expect(offsetMs / 60_000).toSatisfy((minutes) => minutes >= 1 && minutes < 5);
    const kills = new Set(plan.filter(({ kind }) => kind === 'kill').map(({ name }) => name));
    expect(kills.size).toBe(8);
  });
});

const rounds = (count: number, readyMs: number, landedMs: number, kind: FaultKind = 'kill'): Round[] =>
  Array.from({ length: count }, () => ({ fault: { kind, name: 'a server is killed' }, readyMs, landedMs }));

describe('the report', () => {
  const of = { seed: 7, pullRequests: 200 };

  test('measures kills apart from other faults, and judges only kills', () => {
    const report = reportOf([...rounds(100, 2_000, 3_000), ...rounds(30, 60_000, 70_000, 'network')], of);
    expect(report.faults).toEqual([
      { kind: 'kill', count: 100, readyMs: all(2_000), landedMs: all(3_000) },
      { kind: 'network', count: 30, readyMs: all(60_000), landedMs: all(70_000) },
    ]);
    expect(report.aims).toEqual({
      ready: { atMostMs: 10_000, isReached: true },
      landed: { atMostMs: 15_000, isReached: true },
    });
    expect(textOf(report).split('\n')).toEqual([
      'Seed 7, 200 pull requests.',
      '100 kills. Ready again: p50 2.0 s, p95 2.0 s, most 2.0 s. The next landing: p50 3.0 s, p95 3.0 s, most 3.0 s.',
      '30 faults of the network. Ready again: p50 60.0 s, p95 60.0 s, most 60.0 s. The next landing: p50 70.0 s, p95 70.0 s, most 70.0 s.',
      'reached  after 95 of 100 kills, everything is ready within 10 s',
      'reached  after 95 of 100 kills, the next pull request lands within 15 s',
    ]);
  });

  test('allows five of 100 kills to take longer, and not six', () => {
    const isReached = (late: number): (boolean | undefined)[] => {
      const { aims } = reportOf([...rounds(100 - late, 10_000, 15_000), ...rounds(late, 10_001, 15_001)], of);
      return [aims?.ready.isReached, aims?.landed.isReached];
    };
    expect([isReached(5), isReached(6)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test('judges nothing after fewer than 100 kills', () => {
    expect(reportOf([...rounds(99, 1, 1), ...rounds(50, 1, 1, 'disk')], of).aims).toBeNull();
  });
});

function all(ms: number) {
  return { p50: ms, p95: ms, most: ms };
}

test.each([
  ['--kills', '0'],
  ['--seed', 'one'],
  ['--queued', '1.5'],
])('%s %s is refused', (name, value) => {
  const { status, stderr } = spawnSync(process.execPath, [join(projectRoot, 'scripts', 'chaos.mjs'), name, value]);
  expect([status, stderr.toString()]).toEqual([1, `${name} must be a whole number above 0, not ${value}.\n`]);
});
