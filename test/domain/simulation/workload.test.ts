// The days of the bench have the properties of their cell, and are the same for every policy.
import { describe, expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { measureTask } from '../../../bench/simulator/measurement.ts';
import { learnedRates } from '../../../bench/simulator/speculation/predictors.ts';
import { drawDay } from '../../../bench/simulator/workload.ts';
import { overlap as overlaps } from '../../../src/domain/queue/model/overlap.ts';
import { hour } from '../queue/situation.ts';

const meanBuild = 0.5 * hour * Math.exp(0.5 ** 2 / 2);

describe('a day', () => {
  it.each([0.3, 0.5, 0.72])('has a share of %d of changes that overlap a change in flight', (overlap) => {
    const { changes } = drawDay(parseCell(`rate=200,overlap=${overlap}`), { seed: 3, changes: 3000 });
    const late = changes.filter(({ arrivedAt }) => arrivedAt > meanBuild);
    const meeting = late.filter((change) =>
      changes
        .slice(Math.max(0, change.number - 400), change.number)
        .some((other) => other.arrivedAt > change.arrivedAt - meanBuild && overlaps(other.targets, change.targets)),
    );
    expect(meeting.length / late.length).toBeCloseTo(overlap, 1);
  });

  it.each([1, 3])('has the rate of its cell, also in bursts of %i', (burst) => {
    const { changes } = drawDay(parseCell(`rate=200,burst=${burst}`), { seed: 3, changes: 8000 });
    expect(8000 / ((changes.at(-1)?.arrivedAt ?? 0) / hour) / 200).toBeCloseTo(1, 1);
    const early = changes.filter(({ arrivedAt }) => arrivedAt % hour < hour / 4).length / changes.length;
    expect(early / (burst / 4)).toBeCloseTo(1, 1);
  });

  it('has the share of bad changes of its cell, more of some authors than of others', () => {
    const { changes, truth } = drawDay(parseCell('failure=0.1'), { seed: 3, changes: 10_000 });
    const bad = changes.filter(({ number }) => !truth.isGreen(new Set(), [number]));
    expect(bad.length / changes.length).toBeCloseTo(0.1, 1.5);
    const byAuthor = [...Map.groupBy(bad, ({ author }) => author).values()].map((of) => of.length);
    expect(Math.max(...byAuthor)).toBeGreaterThan(2 * (bad.length / 40));
  });

  it('begins in the same way whatever its length, and differs by its seed', () => {
    const cell = parseCell('rate=100');
    const [short, long, other] = [
      drawDay(cell, { seed: 3, changes: 100 }),
      drawDay(cell, { seed: 3, changes: 200 }),
      drawDay(cell, { seed: 4, changes: 100 }),
    ];
    expect(long.changes.slice(0, 100)).toEqual(short.changes);
    expect(other.changes).not.toEqual(short.changes);
  });
});

describe('a day with a past', () => {
  const cell = parseCell('failure=0.1,flake=0.05');
  const setup = drawDay(cell, { seed: 3, changes: 200, past: 5000 });

  it('has the same changes as without a past', () => {
    expect(setup.changes).toEqual(drawDay(cell, { seed: 3, changes: 200 }).changes);
  });

  it('gives a policy that learns the results of the changes of its past', () => {
    const { ends = [] } = setup.past ?? {};
    expect(ends).toHaveLength(5000);
    const failed = ends.filter(({ hasLanded }) => !hasLanded).length / 5000;
    // These changes are bad, are in a bad pair, or were flaky twice.
    expect(failed).toBeGreaterThan(0.1);
    expect(failed).toBeLessThan(0.15);
    const predictor = learnedRates(setup);
    const [first] = setup.changes;
    if (first === undefined) throw new Error('The day is empty.');
    expect(predictor.chanceOf({ ...first, author: 39 }, 0)).toBeLessThan(0.8);
    expect(predictor.chanceOf({ ...first, author: 0 }, 0)).toBeGreaterThan(0.9);
  });

  it('gives a policy the results of second builds', () => {
    const { passed, judged } = setup.past?.secondTries ?? { passed: 0, judged: 0 };
    expect(passed / judged).toBeGreaterThan(0.2);
    expect(passed / judged).toBeLessThan(0.4);
  });

  it('changes the decisions of the planner of the product, and nothing else of the world', () => {
    const task = { cell: parseCell('rate=60,workers=20,failure=0.15'), seed: 5, changes: 60 };
    const [blank, taught] = [0, 2000].map((past) => measureTask({ ...task, past, policy: 'interlock' }));
    expect(taught?.buildsPerChange).not.toBe(blank?.buildsPerChange);
    const [one, other] = [0, 2000].map((past) => measureTask({ ...task, past, policy: 'in-order-oracle' }));
    expect(one).toEqual(other);
  });
});

it('the same day and policy always give the same result', () => {
  const task = { cell: parseCell('rate=60,workers=20,flake=0.05'), policy: 'interlock', seed: 5, changes: 40 };
  expect(measureTask(task)).toEqual(measureTask(task));
});

it('a cell with an unknown word is refused with the word', () => {
  expect(() => parseCell('rate=5,speed=3')).toThrow('A cell has no value speed.');
  expect(() => parseCell('rate=fast')).toThrow('rate=fast: must be a number of at least 0.');
  expect(() => parseCell('draw=both')).toThrow('draw=both: must be change or build.');
});
