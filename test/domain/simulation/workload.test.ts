// The days of the bench are what their cell says, and the same for every policy.
import { describe, expect, it } from 'vitest';
import { parseCell } from '../../../bench/simulator/cell.ts';
import { measureTask } from '../../../bench/simulator/measurement.ts';
import { learnedRates } from '../../../bench/simulator/speculation/predictors.ts';
import { drawDay } from '../../../bench/simulator/workload.ts';
import { overlap as overlaps } from '../../../src/domain/queue/model/overlap.ts';
import { hour } from '../queue/situation.ts';

const meanBuild = 0.5 * hour * Math.exp(0.5 ** 2 / 2);

describe('a day', () => {
  it.each([0.3, 0.5, 0.72])('has a share of %d that overlaps one in flight', (overlap) => {
    const { changes } = drawDay(parseCell(`rate=200,overlap=${overlap}`), { seed: 3, changes: 3000 });
    const late = changes.filter(({ arrivedAt }) => arrivedAt > meanBuild);
    const meeting = late.filter((change) =>
      changes
        .slice(Math.max(0, change.number - 400), change.number)
        .some((other) => other.arrivedAt > change.arrivedAt - meanBuild && overlaps(other.targets, change.targets)),
    );
    expect(meeting.length / late.length).toBeCloseTo(overlap, 1);
  });

  it.each([1, 3])('has its rate, in bursts of %i as well', (burst) => {
    const { changes } = drawDay(parseCell(`rate=200,burst=${burst}`), { seed: 3, changes: 8000 });
    expect(8000 / ((changes.at(-1)?.arrivedAt ?? 0) / hour) / 200).toBeCloseTo(1, 1);
    const early = changes.filter(({ arrivedAt }) => arrivedAt % hour < hour / 4).length / changes.length;
    expect(early / (burst / 4)).toBeCloseTo(1, 1);
  });

  it('has so many bad ones, of some authors more than of others', () => {
    const { changes, truth } = drawDay(parseCell('failure=0.1'), { seed: 3, changes: 10_000 });
    const bad = changes.filter(({ number }) => !truth.isGreen(new Set(), [number]));
    expect(bad.length / changes.length).toBeCloseTo(0.1, 1.5);
    const byAuthor = [...Map.groupBy(bad, ({ author }) => author).values()].map((of) => of.length);
    expect(Math.max(...byAuthor)).toBeGreaterThan(2 * (bad.length / 40));
  });

  it('begins alike however long it is, and differs by its seed', () => {
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

describe('a day with one before it', () => {
  const cell = parseCell('failure=0.1,flake=0.05');
  const setup = drawDay(cell, { seed: 3, changes: 200, past: 5000 });

  it('is the same day', () => {
    expect(setup.changes).toEqual(drawDay(cell, { seed: 3, changes: 200 }).changes);
  });

  it('tells a policy that learns what became of the changes then', () => {
    const { ends = [] } = setup.past ?? {};
    expect(ends).toHaveLength(5000);
    const failed = ends.filter(({ hasLanded }) => !hasLanded).length / 5000;
    // Changes that are bad, in a pair, or flaked twice.
    expect(failed).toBeGreaterThan(0.1);
    expect(failed).toBeLessThan(0.15);
    const predictor = learnedRates(setup);
    const [first] = setup.changes;
    if (first === undefined) throw new Error('The day is empty.');
    expect(predictor.chanceOf({ ...first, author: 39 }, 0)).toBeLessThan(0.8);
    expect(predictor.chanceOf({ ...first, author: 0 }, 0)).toBeGreaterThan(0.9);
  });

  it('and how many second builds said otherwise', () => {
    const { passed, judged } = setup.past?.secondTries ?? { passed: 0, judged: 0 };
    expect(passed / judged).toBeGreaterThan(0.2);
    expect(passed / judged).toBeLessThan(0.4);
  });

  it('changes what the planner of the product does, and nothing else of the world', () => {
    const task = { cell: parseCell('rate=60,workers=20,failure=0.15'), seed: 5, changes: 60 };
    const [blank, taught] = [0, 2000].map((past) => measureTask({ ...task, past, policy: 'interlock' }));
    expect(taught?.buildsPerChange).not.toBe(blank?.buildsPerChange);
    const [one, other] = [0, 2000].map((past) => measureTask({ ...task, past, policy: 'in-order-oracle' }));
    expect(one).toEqual(other);
  });
});

it('the same day and policy come to the same, again and again', () => {
  const task = { cell: parseCell('rate=60,workers=20,flake=0.05'), policy: 'interlock', seed: 5, changes: 40 };
  expect(measureTask(task)).toEqual(measureTask(task));
});

it('a cell with a word nobody knows is refused by name', () => {
  expect(() => parseCell('rate=5,speed=3')).toThrow('A cell has no value speed.');
  expect(() => parseCell('rate=fast')).toThrow('rate=fast: must be a number of at least 0.');
  expect(() => parseCell('draw=both')).toThrow('draw=both: must be change or build.');
});
