// Measured days: how they are kept, averaged and explained.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { measureTask, type Measurement, type Task } from '../../../bench/simulator/measurement.ts';
import { plannerVersion } from '../../../src/domain/queue/plan.ts';
import { Results } from '../../../bench/simulator/results.ts';
import { rowsOf, type MeasuredTask } from '../../../bench/simulator/rows.ts';
import { seedsOf } from '../../../bench/simulator/seeds.ts';

const folder = mkdtempSync(join(tmpdir(), 'interlock-results-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cell = parseCell('rate=60,workers=4,flake=0.05');

function taskOf(policy: string, seed: number): Task {
  return { cell, policy, seed, changes: 60, past: 0 };
}

function measured(policy: string, seed: number, wait: number): MeasuredTask {
  const waits = { p50: wait, p95: 2 * wait, p99: 3 * wait, longest: 6 * wait };
  const measurement: Measurement = { ...waits, buildsPerChange: seed, landedPerHour: 1, red: 0, ejectedUnjustly: 0 };
  return { task: taskOf(policy, seed), measurement };
}

describe('the file of measured days', () => {
  it('has each day after it was added, also if the run was cut in the middle of a line', () => {
    const file = join(folder, 'days.jsonl');
    const first = new Results(file);
    first.add(measured('interlock', 1, 10), 1);
    first.add(measured('interlock', 2, 20), 1);
    appendFileSync(file, '{"cell":"rate=60');
    const second = new Results(file);
    expect(second.get(taskOf('interlock', 2))?.measurement.p50).toBe(20);
    expect(second.get(taskOf('interlock', 3))).toBeUndefined();
    second.add(measured('interlock', 3, 30), 1);
    expect(new Results(file).get(taskOf('interlock', 3))?.measurement.p50).toBe(30);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(3);
  });
});

describe('rows', () => {
  const days = [
    ...[1, 2].map((seed) => measured('in-order-oracle', seed, 10)),
    ...[1, 2].map((seed) => measured('interlock', seed, seed === 1 ? 10 : 20)),
    measured('batches', 2, 40),
    // Without a day of the oracle, a day has no ratios.
    measured('batches', 3, 40),
  ];
  const [ours, batches] = rowsOf(days, ['interlock', 'batches']);

  it('have the mean and the worst day, as ratios to the oracle', () => {
    expect(ours).toMatchObject({ policy: 'interlock', days: 2, p50: 1.5, p95: 1.5, buildsPerChange: 1.5 });
    expect(ours?.worst).toMatchObject({ p50: 2, p95: 2, buildsPerChange: 2 });
  });

  it('compare a policy with our planner on the same days', () => {
    expect(batches).toMatchObject({ policy: 'batches', days: 1, p50: 4 });
    expect(batches?.interlock).toMatchObject({ p50: 2, buildsPerChange: 2 });
  });
});

describe('the version of the planner', () => {
  it('is measured for our planner alone', () => {
    const versionOf = (policy: string) => measureTask({ ...taskOf(policy, 1), changes: 10 }).plannerVersion;
    expect(['interlock', 'interlock-linear', 'batches'].map(versionOf)).toEqual([
      plannerVersion,
      plannerVersion,
      undefined,
    ]);
  });

  it('is in the rows, once for all days of a version', () => {
    const versions = [9, 8, 9].map((version, day) => {
      const { task, measurement } = measured('interlock', day + 1, 10);
      return { task, measurement: { ...measurement, plannerVersion: version } };
    });
    const oracle = [1, 2, 3].map((seed) => measured('in-order-oracle', seed, 10));
    const [reference, ours] = rowsOf([...oracle, ...versions], ['in-order-oracle', 'interlock']);
    expect(ours?.plannerVersions).toEqual([8, 9]);
    expect(reference).not.toHaveProperty('plannerVersions');
  });
});

describe('the longest waits', () => {
  const { tail, p95 } = measureTask({ ...taskOf('interlock', 1), changes: 200 });
  const minutes = Object.values(tail?.minutes ?? {}).reduce((sum, some) => sum + some, 0);

  it('are those beyond P95, and each of their minutes has a cause', () => {
    expect(tail?.changes).toBeGreaterThanOrEqual(5);
    expect(tail?.changes).toBeLessThanOrEqual(10);
    expect(minutes).toBeGreaterThan(p95 * (tail?.changes ?? 0));
    expect(tail?.minutes.other).toBeLessThan(minutes / 50);
  });

  it('are waits for workers if workers are few, and waits for builds if workers are many', () => {
    expect((tail?.minutes.noWorker ?? 0) / minutes).toBeGreaterThan(0.5);
    const many = measureTask({ ...taskOf('interlock', 1), cell: parseCell('rate=60,workers=1000'), changes: 200 }).tail;
    expect(many?.minutes.noWorker).toBe(0);
    expect(many?.minutes.landingBuild).toBeGreaterThan(0);
  });
});

describe('seeds', () => {
  it.each([
    ['3', [1, 2, 3]],
    ['3-5', [3, 4, 5]],
    ['7-7', [7]],
    ['1,7-8', [1, 7, 8]],
  ])('%s', (text, seeds) => expect(seedsOf(text)).toEqual(seeds));

  it.each(['', 'x', '5-3', '1-2-3', '1.5'])('%s is refused', (text) => {
    expect(() => seedsOf(text)).toThrow('must be a number of seeds');
  });
});
